// gqa_scores_before: scores of one query of each head against the cached keys, eight heads to one head of keys (decoding with grouped queries).
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

// A head and 64 keys to a block, eight keys to a warp; heads of one group are neighbours in the grid.
extern "C" __global__ void __launch_bounds__(256) gqa_scores_before(float* __restrict__ out, const half* __restrict__ query, const half* __restrict__ key, float scale, int length)
{
    const int head = blockIdx.x, lane = threadIdx.x % 32;
    const long long batch = blockIdx.z;
    const int first = blockIdx.y * 64 + threadIdx.x / 32 * 8;
    const float4 q = four(((const uint2*)(query + (batch * gridDim.x + head) * DEPTH))[lane]);
    const half* keys = key + (batch * (gridDim.x / GROUP) + head / GROUP) * length * DEPTH;
    float* to = out + (batch * gridDim.x + head) * length;
#pragma unroll 4
    for (int t = first; t < first + 8; ++t) {
        const float4 k = four(((const uint2*)(keys + (long long)t * DEPTH))[lane]);
        const float s = warp_sum(q.x * k.x + q.y * k.y + q.z * k.z + q.w * k.w);
        if (lane == 0) {
            to[t] = s * scale;
        }
    }
}
