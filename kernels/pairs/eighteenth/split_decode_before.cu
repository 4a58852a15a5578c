// split_decode_before: attention of one new token over a long cache, chunks of keys apart (flash decoding, first part).
#include <cuda_fp16.h>

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

#define DEPTH 128
#define CHUNK 512

// A head to blockIdx.x, its chunks of 512 keys shared out among gridDim.y blocks; a later kernel joins the chunks.
extern "C" __global__ void __launch_bounds__(256) split_decode_before(float* __restrict__ out, float2* __restrict__ state, const half* __restrict__ query, const half* __restrict__ key, const half* __restrict__ value, float scale, int length)
{
    __shared__ float part[8][DEPTH], most[8], total[8];
    const int head = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32, chunks = length / CHUNK;
    float4 q = four(((const uint2*)(query + head * DEPTH))[lane]);
    q.x *= scale, q.y *= scale, q.z *= scale, q.w *= scale;
    const uint2* keys = (const uint2*)(key + (long long)head * length * DEPTH) + lane;
    const uint2* values = (const uint2*)(value + (long long)head * length * DEPTH) + lane;
    for (int c = blockIdx.y; c < chunks; c += gridDim.y) {
        float m = -INFINITY, l = 0.0f;
        float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (int t = c * CHUNK + warp * 4; t < (c + 1) * CHUNK; t += 32) {
            uint2 k[4], v[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                k[j] = keys[(t + j) * (DEPTH / 4)];
                v[j] = values[(t + j) * (DEPTH / 4)];
            }
            float s[4], top = m;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float4 f = four(k[j]);
                s[j] = warp_sum(q.x * f.x + q.y * f.y + q.z * f.z + q.w * f.w);
                top = fmaxf(top, s[j]);
            }
            const float r = __expf(m - top);
            m = top;
            l *= r;
            a.x *= r, a.y *= r, a.z *= r, a.w *= r;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float p = __expf(s[j] - m);
                const float4 f = four(v[j]);
                l += p;
                a.x += p * f.x, a.y += p * f.y, a.z += p * f.z, a.w += p * f.w;
            }
        }
        ((float4*)part[warp])[lane] = a;
        if (lane == 0) {
            most[warp] = m;
            total[warp] = l;
        }
        __syncthreads();
        if (threadIdx.x < DEPTH) {
            float top = most[0], sum = 0.0f, all = 0.0f;
            for (int i = 1; i < 8; ++i) {
                top = fmaxf(top, most[i]);
            }
            for (int i = 0; i < 8; ++i) {
                const float r = __expf(most[i] - top);
                sum += r * part[i][threadIdx.x];
                all += r * total[i];
            }
            out[((long long)head * chunks + c) * DEPTH + threadIdx.x] = sum;
            if (threadIdx.x == 0) {
                state[head * chunks + c] = make_float2(top, all);
            }
        }
        __syncthreads();
    }
}
