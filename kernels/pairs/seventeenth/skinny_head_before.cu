// skinny_head_before: four tokens times a matrix of weights of 8,192 rows (the last layers of a decoding model).
#include <cuda_fp16.h>

#define TOKENS 4

__device__ __forceinline__ void eight(float* f, const uint4 v)
{
    const half2* h = (const half2*)&v;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float2 p = __half22float2(h[k]);
        f[2 * k] = p.x;
        f[2 * k + 1] = p.y;
    }
}

// Two rows to a warp.
extern "C" __global__ void __launch_bounds__(256) skinny_head_before(float* __restrict__ out, const half* __restrict__ weight, const half* __restrict__ token, int rows, int depth)
{
    const int row = (blockIdx.x * 8 + threadIdx.x / 32) * 2, lane = threadIdx.x % 32;
    const uint4* w0 = (const uint4*)(weight + (long long)row * depth);
    const uint4* w1 = (const uint4*)(weight + (long long)(row + 1) * depth);
    float sum[2][TOKENS] = {};
#pragma unroll 4
    for (int k = lane; k < depth / 8; k += 32) {
        float a[2][8];
        eight(a[0], w0[k]);
        eight(a[1], w1[k]);
#pragma unroll
        for (int t = 0; t < TOKENS; ++t) {
            float x[8];
            eight(x, ((const uint4*)(token + (long long)t * depth))[k]);
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                sum[0][t] += a[0][j] * x[j];
                sum[1][t] += a[1][j] * x[j];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
#pragma unroll
        for (int t = 0; t < TOKENS; ++t) {
            float v = sum[r][t];
#pragma unroll
            for (int d = 16; d > 0; d /= 2) {
                v += __shfl_xor_sync(0xffffffffu, v, d);
            }
            if (lane == 0) {
                out[(long long)t * rows + row + r] = v;
            }
        }
    }
}
