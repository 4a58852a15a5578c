// sgemm_async: C = A·B in FP32 on the FMA pipe, tiles of 128 x 256, two stages filled by cp.async, 8 x 16 sums to a thread.
//
// Shows:      a grid of 144 tiles on 132 multiprocessors, one block to each: 12 tiles are left for a second wave.
// Limiter:    the launch: 12 multiprocessors work for two tiles, 120 for one, so that half of the time is a tail. Inside of a
//             tile the FMA pipe limits: 256 cycles of products a step of k on 8 warps, 80 wavefronts of shared memory.
// Lever:      the twelve tiles that are left split along k (stream-K), or tiles whose number is near a multiple of 132; at most half
//             of the time.
// Shape:      m = 1536, n = 3072, k = 1024; A stored as k rows of m, B as k rows of n, C as m rows of n.
// Launch:     grid 12 x 12 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* c [m * n], const float* a [k * m], const float* b [k * n], unsigned m, unsigned n, unsigned k
// Result:     c[i][j] == sum over l of a[l][i] * b[l][j]

__device__ void copy16(float* shared, const float* global)
{
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(global));
}

__device__ void fill(float (*a)[128], float (*b)[256], const float* from_a, const float* from_b, unsigned m, unsigned n)
{
#pragma unroll
    for (unsigned i = 0; i < 2u; ++i) {
        const unsigned at = i * 256u + threadIdx.x;
        copy16(&a[at / 32u][at % 32u * 4u], from_a + at / 32u * m + at % 32u * 4u);
    }
#pragma unroll
    for (unsigned i = 0; i < 4u; ++i) {
        const unsigned at = i * 256u + threadIdx.x;
        copy16(&b[at / 64u][at % 64u * 4u], from_b + at / 64u * n + at % 64u * 4u);
    }
    asm volatile("cp.async.commit_group;");
}

__global__ void __launch_bounds__(256, 1)
    sgemm_async(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, unsigned m, unsigned n, unsigned k)
{
    __shared__ __align__(16) float left[2][16][128], right[2][16][256];
    const unsigned tx = threadIdx.x % 16u, ty = threadIdx.x / 16u;
    const float* from_a = a + blockIdx.y * 128u;
    const float* from_b = b + blockIdx.x * 256u;
    float sum[8][16] = {};
    fill(left[0], right[0], from_a, from_b, m, n);
    for (unsigned step = 0; step < k / 16u; ++step) {
        if (step + 1u < k / 16u) {
            const unsigned next = (step + 1u) * 16u;
            fill(left[(step + 1u) % 2u], right[(step + 1u) % 2u], from_a + next * m, from_b + next * n, m, n);
            asm volatile("cp.async.wait_group 1;");
        } else {
            asm volatile("cp.async.wait_group 0;");
        }
        __syncthreads();
#pragma unroll
        for (unsigned l = 0; l < 16u; ++l) {
            float row[8], column[16];
#pragma unroll
            for (unsigned i = 0; i < 2u; ++i) {
                *reinterpret_cast<float4*>(row + i * 4u) =
                    *reinterpret_cast<const float4*>(&left[step % 2u][l][i * 64u + ty * 4u]);
            }
#pragma unroll
            for (unsigned j = 0; j < 4u; ++j) {
                *reinterpret_cast<float4*>(column + j * 4u) =
                    *reinterpret_cast<const float4*>(&right[step % 2u][l][j * 64u + tx * 4u]);
            }
#pragma unroll
            for (unsigned i = 0; i < 128u; ++i) {
                sum[i / 16u][i % 16u] += row[i / 16u] * column[i % 16u];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 8u; ++i) {
        float* to = c + (blockIdx.y * 128u + i / 4u * 64u + ty * 4u + i % 4u) * n + blockIdx.x * 256u + tx * 4u;
#pragma unroll
        for (unsigned j = 0; j < 4u; ++j) {
            *reinterpret_cast<float4*>(to + j * 64u) = *reinterpret_cast<const float4*>(&sum[i][j * 4u]);
        }
    }
}
