// rmsnorm_residual: adds a layer's output to the residual stream and normalises the sum by its root mean square, rows of 4096 in BF16.
//
// Shows:      a fused elementwise layer as it should be: 16 bytes a lane, the row in registers between its two uses, one barrier.
// Limiter:    device memory bandwidth: 512 MiB at a use of each byte. A warp moves 2 KiB, which take an SM's part of DRAM about
//             110 cycles, and has some 120 instructions, 30 cycles of issue; four blocks on an SM hold 64 KiB of loads in flight.
// Lever:      at the roof; only fewer bytes help: fuse it into the product before it or after it.
// Shape:      rows = 16384 of 4096 values (128 MiB each of x, residual before, residual after, out).
// Launch:     grid 16384 x 1 x 1, block 512 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  uint4* out [rows * 512], uint4* residual [rows * 512], const uint4* x [rows * 512], const uint4* weight [512], float epsilon
// Result:     residual == BF16 of residual + x; out == residual * weight / sqrt(mean of residual^2 over the row + epsilon)

#include <cuda_bf16.h>

union Eight {
    uint4 bits;
    __nv_bfloat162 pair[4];
    __device__ Eight(uint4 from) : bits(from) {}
};

__device__ float total_of_block(float value)
{
    __shared__ float partial[16];
#pragma unroll
    for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    if (threadIdx.x % 32u == 0u) {
        partial[threadIdx.x / 32u] = value;
    }
    __syncthreads();
    value = partial[threadIdx.x % 16u];
#pragma unroll
    for (unsigned distance = 8u; distance > 0u; distance /= 2u) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    return value;
}

__global__ void __launch_bounds__(512)
    rmsnorm_residual(uint4* __restrict__ out, uint4* __restrict__ residual, const uint4* __restrict__ x,
                     const uint4* __restrict__ weight, float epsilon)
{
    const unsigned at = blockIdx.x * 512u + threadIdx.x;
    const Eight own(x[at]), before(residual[at]);  // limiter
    Eight sum(own.bits);
    float squares = 0.0f;
#pragma unroll
    for (unsigned i = 0; i < 4u; ++i) {
        sum.pair[i] = __hadd2(own.pair[i], before.pair[i]);
        const float2 value = __bfloat1622float2(sum.pair[i]);
        squares += value.x * value.x + value.y * value.y;
    }
    residual[at] = sum.bits;
    const float scale = rsqrtf(total_of_block(squares) / 4096.0f + epsilon);
    const Eight gain(weight[threadIdx.x]);
#pragma unroll
    for (unsigned i = 0; i < 4u; ++i) {
        const float2 value = __bfloat1622float2(sum.pair[i]), factor = __bfloat1622float2(gain.pair[i]);
        sum.pair[i] = __floats2bfloat162_rn(value.x * scale * factor.x, value.y * scale * factor.y);
    }
    out[at] = sum.bits;
}
