// drop_add_norm_before: dropout of a branch, the residual added, a LayerNorm of the sum; the sum is kept for the backward pass.
#include <cuda_fp16.h>

#define PAIRS 2048

__device__ __forceinline__ float kept(unsigned int i, unsigned int seed, unsigned int threshold, float scale)
{
    unsigned int x = i * 0x9e3779b1u ^ seed;
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    return x >= threshold ? scale : 0.0f;
}

__device__ __forceinline__ float block_sum(float v, float* s)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_xor_sync(0xffffffffu, v, d);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        s[threadIdx.x / 32] = v;
    }
    __syncthreads();
    v = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        v += s[k];
    }
    return v;
}

// A block to a row.
extern "C" __global__ void __launch_bounds__(256) drop_add_norm_before(half2* __restrict__ out, half2* __restrict__ sum, const half2* __restrict__ branch, const half2* __restrict__ residual, const half2* __restrict__ gamma, const half2* __restrict__ beta, unsigned int seed, unsigned int threshold, float scale)
{
    __shared__ float s[8];
    const long long row = (long long)blockIdx.x * PAIRS;
    float total = 0.0f;
    for (int i = threadIdx.x; i < PAIRS; i += 256) {
        const float2 b = __half22float2(branch[row + i]);
        const float2 r = __half22float2(residual[row + i]);
        const unsigned int at = 2 * (unsigned int)(row + i);
        const half2 h = __floats2half2_rn(r.x + b.x * kept(at, seed, threshold, scale), r.y + b.y * kept(at + 1, seed, threshold, scale));
        sum[row + i] = h;
        const float2 v = __half22float2(h);
        total += v.x + v.y;
    }
    const float mean = block_sum(total, s) / (2 * PAIRS);
    float squares = 0.0f;
    for (int i = threadIdx.x; i < PAIRS; i += 256) {
        const float2 v = __half22float2(sum[row + i]);
        squares += (v.x - mean) * (v.x - mean) + (v.y - mean) * (v.y - mean);
    }
    const float inverse = rsqrtf(block_sum(squares, s) / (2 * PAIRS) + 1e-5f);
    for (int i = threadIdx.x; i < PAIRS; i += 256) {
        const float2 v = __half22float2(sum[row + i]);
        const float2 g = __half22float2(gamma[i]), b = __half22float2(beta[i]);
        out[row + i] = __floats2half2_rn((v.x - mean) * inverse * g.x + b.x, (v.y - mean) * inverse * g.y + b.y);
    }
}
