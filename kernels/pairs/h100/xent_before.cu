// xent_before: cross-entropy loss over a large vocabulary, a block to a row: largest logit in a first pass, sum of exponentials in a second.
#include <cuda_fp16.h>

__device__ __forceinline__ void eight(float (&x)[8], const uint4& v)
{
    const __half2* h = reinterpret_cast<const __half2*>(&v);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 f = __half22float2(h[i]);
        x[2 * i] = f.x;
        x[2 * i + 1] = f.y;
    }
}

extern "C" __global__ void __launch_bounds__(512) xent_before(float* loss, const __half* __restrict__ logits, const unsigned* __restrict__ label,
                                                              int vocabulary)
{
    __shared__ float tops[16], totals[16];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const uint4* row = reinterpret_cast<const uint4*>(logits + (long long)blockIdx.x * vocabulary);
    float top = -1e30f, total = 0.0f;
#pragma unroll 4
    for (int i = t; i < vocabulary / 8; i += 512) {
        float x[8];
        eight(x, row[i]);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            top = fmaxf(top, x[k]);
        }
    }
#pragma unroll
    for (int s = 16; s > 0; s /= 2) {
        top = fmaxf(top, __shfl_xor_sync(~0u, top, s));
    }
    if (lane == 0) {
        tops[warp] = top;
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
        top = fmaxf(top, tops[i]);
    }
#pragma unroll 4
    for (int i = t; i < vocabulary / 8; i += 512) {
        float x[8];
        eight(x, row[i]);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            total += __expf(x[k] - top);
        }
    }
#pragma unroll
    for (int s = 16; s > 0; s /= 2) {
        total += __shfl_xor_sync(~0u, total, s);
    }
    if (lane == 0) {
        totals[warp] = total;
    }
    __syncthreads();
    if (t == 0) {
        total = 0.0f;
        for (int i = 0; i < 16; ++i) {
            total += totals[i];
        }
        loss[blockIdx.x] = top + logf(total) - __half2float(logits[(long long)blockIdx.x * vocabulary + label[blockIdx.x]]);
    }
}
