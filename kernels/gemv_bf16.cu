// gemv_bf16: vector times a matrix in BF16, one warp to a row, as a step of decoding does it.
//
// Shows:      loads of 2 bytes a lane: a warp asks for 64 bytes at a time, a few times before it waits.
// Limiter:    latency of device memory: 64 warps with four loads of 64 bytes hold no more bytes in flight than bandwidth times
//             latency, and drain at the end of every turn.
// Lever:      loads of 16 bytes a lane, eight values at a time (-DWIDE=1 has them).
// Shape:      rows = 16384, columns = 8192 (256 MiB).
// Launch:     grid 2048 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* y [rows], const unsigned short* matrix [rows * columns], const float* x [columns], unsigned columns
// Result:     y[r] == sum over c of matrix[r][c] * x[c], matrix in BF16

#ifndef WIDE
#define WIDE 0
#endif

__device__ float value_of(unsigned bits)
{
    return __uint_as_float(bits << 16);
}

__global__ void gemv_bf16(float* __restrict__ y, const unsigned short* __restrict__ matrix, const float* __restrict__ x,
                          unsigned columns)
{
    const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32u, lane = threadIdx.x % 32u;
    const unsigned short* own = matrix + row * columns;
    float sum = 0.0f;
#if WIDE
    for (unsigned c = lane * 8u; c < columns; c += 256u) {
        const uint4 packed = *reinterpret_cast<const uint4*>(own + c);
        const float4 low = *reinterpret_cast<const float4*>(x + c), high = *reinterpret_cast<const float4*>(x + c + 4u);
        sum += value_of(packed.x) * low.x + value_of(packed.x >> 16) * low.y;
        sum += value_of(packed.y) * low.z + value_of(packed.y >> 16) * low.w;
        sum += value_of(packed.z) * high.x + value_of(packed.z >> 16) * high.y;
        sum += value_of(packed.w) * high.z + value_of(packed.w >> 16) * high.w;
    }
#else
    for (unsigned c = lane; c < columns; c += 32u) {
        sum += value_of(own[c]) * x[c];  // limiter
    }
#endif
#pragma unroll
    for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    if (lane == 0u) {
        y[row] = sum;
    }
}
