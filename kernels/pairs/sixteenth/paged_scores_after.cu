// paged_scores_after: scores of a step of decoding, keys in pages, four heads of queries to a head of keys.
#include <cuda_fp16.h>

#define DEPTH 128
#define PAGE 16
#define KV_HEADS 8
#define GROUP 4
#define STRETCH 256

__device__ __forceinline__ void widen(float (&to)[16], const half* from)
{
    const uint4 v[2] = {*(const uint4*)from, *(const uint4*)(from + 64)};
    const half2* h = (const half2*)v;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const float2 f = __half22float2(h[k]);
        to[2 * k] = f.x;
        to[2 * k + 1] = f.y;
    }
}

// A block to a head of keys, its four heads of queries and 256 tokens, eight lanes a token.
extern "C" __global__ void __launch_bounds__(128) paged_scores_after(float* __restrict__ out, const half* __restrict__ query, const half* __restrict__ cache, const unsigned int* __restrict__ table, float scale, int tokens)
{
    const int lane = threadIdx.x % 8, heads = KV_HEADS * GROUP;
    const unsigned int* pages = table + blockIdx.z * (tokens / PAGE);
    float q[GROUP][16], key[16];
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        widen(q[g], query + (blockIdx.z * heads + blockIdx.y * GROUP + g) * DEPTH + lane * 8);
    }
    float* to = out + (long long)(blockIdx.z * heads + blockIdx.y * GROUP) * tokens;
    for (int i = threadIdx.x / 8; i < STRETCH; i += 16) {
        const int token = blockIdx.x * STRETCH + i;
        const long long row = ((long long)pages[token / PAGE] * KV_HEADS + blockIdx.y) * PAGE + token % PAGE;
        widen(key, cache + row * DEPTH + lane * 8);
#pragma unroll
        for (int g = 0; g < GROUP; ++g) {
            float sum = 0.0f;
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                sum += q[g][k] * key[k];
            }
#pragma unroll
            for (int step = 4; step > 0; step /= 2) {
                sum += __shfl_xor_sync(0xffffffffu, sum, step);
            }
            if (lane == 0) {
                to[(long long)g * tokens + token] = sum * scale;
            }
        }
    }
}
