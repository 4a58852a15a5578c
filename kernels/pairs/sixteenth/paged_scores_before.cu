// paged_scores_before: scores of a step of decoding, keys in pages, four heads of queries to a head of keys.
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

// A block to a head of queries and 256 tokens, eight lanes a token.
extern "C" __global__ void __launch_bounds__(128) paged_scores_before(float* __restrict__ out, const half* __restrict__ query, const half* __restrict__ cache, const unsigned int* __restrict__ table, float scale, int tokens)
{
    const int lane = threadIdx.x % 8, head = blockIdx.y, heads = KV_HEADS * GROUP;
    const unsigned int* pages = table + blockIdx.z * (tokens / PAGE);
    float q[16], key[16];
    widen(q, query + (blockIdx.z * heads + head) * DEPTH + lane * 8);
    float* to = out + (long long)(blockIdx.z * heads + head) * tokens;
    for (int i = threadIdx.x / 8; i < STRETCH; i += 16) {
        const int token = blockIdx.x * STRETCH + i;
        const long long row = ((long long)pages[token / PAGE] * KV_HEADS + head / GROUP) * PAGE + token % PAGE;
        widen(key, cache + row * DEPTH + lane * 8);
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            sum += q[k] * key[k];
        }
#pragma unroll
        for (int step = 4; step > 0; step /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        }
        if (lane == 0) {
            to[token] = sum * scale;
        }
    }
}
