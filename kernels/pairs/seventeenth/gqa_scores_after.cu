// gqa_scores_after: scores of one query of each head against the cached keys, eight heads to one head of keys (decoding with grouped queries).
#include <cuda_fp16.h>

#define DEPTH 128
#define GROUP 8

__device__ __forceinline__ float4 four(const uint2 v)
{
    const float2 a = __half22float2(*(const half2*)&v.x), b = __half22float2(*(const half2*)&v.y);
    return make_float4(a.x, a.y, b.x, b.y);
}

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_xor_sync(0xffffffffu, v, d);
    }
    return v;
}

// A group of heads and 64 keys to a block, eight keys to a warp: a key is loaded once for the eight heads.
extern "C" __global__ void __launch_bounds__(256) gqa_scores_after(float* __restrict__ out, const half* __restrict__ query, const half* __restrict__ key, float scale, int length)
{
    const int group = blockIdx.x, lane = threadIdx.x % 32;
    const long long batch = blockIdx.z;
    const int first = blockIdx.y * 64 + threadIdx.x / 32 * 8;
    const long long heads = (batch * gridDim.x + group) * GROUP;
    float4 q[GROUP];
#pragma unroll
    for (int h = 0; h < GROUP; ++h) {
        q[h] = four(((const uint2*)(query + (heads + h) * DEPTH))[lane]);
    }
    const half* keys = key + (batch * gridDim.x + group) * length * DEPTH;
    float* to = out + heads * length;
#pragma unroll 4
    for (int t = first; t < first + 8; ++t) {
        const float4 k = four(((const uint2*)(keys + (long long)t * DEPTH))[lane]);
        float mine = 0.0f;
#pragma unroll
        for (int h = 0; h < GROUP; ++h) {
            const float s = warp_sum(q[h].x * k.x + q[h].y * k.y + q[h].z * k.z + q[h].w * k.w);
            mine = lane == h ? s : mine;
        }
        if (lane < GROUP) {
            to[(long long)lane * length + t] = mine * scale;
        }
    }
}
