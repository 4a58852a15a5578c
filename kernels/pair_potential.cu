// pair_potential: for each of 67584 bodies the sum over the bodies before it of 1 / sqrt(distance^2 + 0.01), half of all pairs.
//
// Shows:      blocks of unequal length: block b of the triangle has b + 1 tiles of 128 bodies, and one block fills a multiprocessor.
//             -DLONGEST_FIRST=0 takes them in the order of the rows, =1 the longest first.
// Limiter:    in the order of the rows the end of the launch: the longest blocks begin last, and multiprocessors run out of
//             blocks one by one from 60 % of the time on. Before that, and with the longest first, instruction issue.
// Lever:      the longest blocks first: what is left to begin gets shorter as the launch ends.
// Shape:      bodies = 67584, each a float4 of place and charge.
// Launch:     grid 528 x 1 x 1, block 1024 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* potential [bodies], const float4* body [bodies]
// Result:     potential[i] == sum over j < i of charge[j] / sqrt(|body[j] - body[i]|^2 + 0.01)

#ifndef LONGEST_FIRST
#define LONGEST_FIRST 0
#endif

// Four rows to a lane, the 32 warps share the columns; more than 32 registers a thread keep a second block out.
__global__ void __launch_bounds__(1024, 1) pair_potential(float* __restrict__ potential, const float4* __restrict__ body)
{
    __shared__ float4 tile[128];
    __shared__ float part[32][128];
    const unsigned block = LONGEST_FIRST ? gridDim.x - 1u - blockIdx.x : blockIdx.x;
    const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
    float4 own[4];
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (unsigned r = 0; r < 4u; ++r) {
        own[r] = body[block * 128u + r * 32u + lane];
    }
    for (unsigned first = 0; first <= block; ++first) {
        if (threadIdx.x < 128u) {
            tile[threadIdx.x] = body[first * 128u + threadIdx.x];
        }
        __syncthreads();
        const bool is_diagonal = first == block;
#pragma unroll
        for (unsigned k = 0; k < 4u; ++k) {
            const unsigned column = warp * 4u + k;
            const float4 other = tile[column];
#pragma unroll
            for (unsigned r = 0; r < 4u; ++r) {
                const float dx = other.x - own[r].x, dy = other.y - own[r].y, dz = other.z - own[r].z;
                const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);  // limiter
                const bool counts = !is_diagonal || column < r * 32u + lane;
                sum[r] += counts ? other.w * inverse : 0.0f;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned r = 0; r < 4u; ++r) {
        part[warp][r * 32u + lane] = sum[r];
    }
    __syncthreads();
    if (threadIdx.x < 128u) {
        float total = 0.0f;
        for (unsigned w = 0; w < 32u; ++w) {
            total += part[w][threadIdx.x];
        }
        potential[block * 128u + threadIdx.x] = total;
    }
}
