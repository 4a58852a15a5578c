// decode_after: the same attention, the cache of a head split over a cluster of eight blocks, joined through distributed shared memory.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

__device__ float4 four(const __half* p)
{
    const uint2 raw = *reinterpret_cast<const uint2*>(p);
    const float2 a = __half22float2(*reinterpret_cast<const __half2*>(&raw.x));
    const float2 b = __half22float2(*reinterpret_cast<const __half2*>(&raw.y));
    return make_float4(a.x, a.y, b.x, b.y);
}

__global__ void __cluster_dims__(8, 1, 1) __launch_bounds__(256) decode_after(float* out, const __half* __restrict__ query, const __half* __restrict__ key,
                                                     const __half* __restrict__ value, int context, float scale)
{
    __shared__ float high[8], total[8], part[8][128], joined[130];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const int rank = blockIdx.x & 7;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, head = blockIdx.x >> 3;
    const float4 q = four(query + head * 128 + lane * 4);
    const __half* k = key + (long long)head * context * 128 + lane * 4;
    const __half* v = value + (long long)head * context * 128 + lane * 4;
    float m = -1e30f, l = 0.0f;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const int end = context / 8 * (rank + 1);
    for (int at = context / 8 * rank + warp * 4; at < end; at += 32) {
        float score[4];
        float4 row[4];
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const float4 x = four(k + (at + r) * 128);
            row[r] = four(v + (at + r) * 128);
            score[r] = x.x * q.x + x.y * q.y + x.z * q.z + x.w * q.w;
        }
#pragma unroll
        for (int s = 16; s > 0; s /= 2) {
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                score[r] += __shfl_xor_sync(~0u, score[r], s);
            }
        }
        float next = m;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            score[r] *= scale;
            next = fmaxf(next, score[r]);
        }
        const float keep = __expf(m - next);
        m = next;
        l *= keep;
        sum.x *= keep, sum.y *= keep, sum.z *= keep, sum.w *= keep;
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const float p = __expf(score[r] - m);
            l += p;
            sum.x += p * row[r].x, sum.y += p * row[r].y, sum.z += p * row[r].z, sum.w += p * row[r].w;
        }
    }
    if (lane == 0) {
        high[warp] = m;
        total[warp] = l;
    }
    *reinterpret_cast<float4*>(&part[warp][lane * 4]) = sum;
    __syncthreads();
    if (threadIdx.x < 128) {
        float top = high[0];
        for (int w = 1; w < 8; ++w) {
            top = fmaxf(top, high[w]);
        }
        float all = 0.0f, result = 0.0f;
        for (int w = 0; w < 8; ++w) {
            const float factor = __expf(high[w] - top);
            all += factor * total[w];
            result += factor * part[w][threadIdx.x];
        }
        joined[threadIdx.x] = result;
        if (threadIdx.x == 0) {
            joined[128] = top;
            joined[129] = all;
        }
    }
    cluster.sync();
    if (rank == 0 && threadIdx.x < 128) {
        float top = -1e30f;
        for (int b = 0; b < 8; ++b) {
            top = fmaxf(top, cluster.map_shared_rank(joined, b)[128]);
        }
        float all = 0.0f, result = 0.0f;
        for (int b = 0; b < 8; ++b) {
            const float* there = cluster.map_shared_rank(joined, b);
            const float factor = __expf(there[128] - top);
            all += factor * there[129];
            result += factor * there[threadIdx.x];
        }
        out[head * 128 + threadIdx.x] = result / all;
    }
    cluster.sync();
}
