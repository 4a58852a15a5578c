// alibi_rows_before: weights of attention over 512 keys with linear biases by distance.
#include <cuda_fp16.h>

#define KEYS 512

__device__ __forceinline__ float block_max(float* s, float v)
{
    const int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) {
            s[t] = fmaxf(s[t], s[t + step]);
        }
        __syncthreads();
    }
    const float all = s[0];
    __syncthreads();
    return all;
}

__device__ __forceinline__ float block_sum(float* s, float v)
{
    const int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) {
            s[t] += s[t + step];
        }
        __syncthreads();
    }
    return s[0];
}

// A block to a row, two keys a thread.
extern "C" __global__ void __launch_bounds__(256) alibi_rows_before(half* __restrict__ out, const half* __restrict__ score, float scale, int queries, int heads)
{
    __shared__ float s[256];
    const int q = blockIdx.x, head = blockIdx.y;
    const float slope = exp2f(-8.0f * (head + 1) / heads);
    const long long row = ((long long)head * queries + q) * KEYS;
    float v[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int key = k * 256 + threadIdx.x;
        v[k] = __half2float(score[row + key]) * scale - slope * abs(q - key);
    }
    const float top = block_max(s, fmaxf(v[0], v[1]));
    v[0] = __expf(v[0] - top);
    v[1] = __expf(v[1] - top);
    const float part = 1.0f / block_sum(s, v[0] + v[1]);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        out[row + k * 256 + threadIdx.x] = __float2half(v[k] * part);
    }
}
