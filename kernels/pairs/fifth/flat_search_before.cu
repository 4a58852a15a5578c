// flat_search_before: inner products of a query with stored vectors of 256, a warp to a vector, rows copied ahead by cp.async in 2 stages.
#include <cuda_pipeline.h>

extern "C" __global__ void __launch_bounds__(128) flat_search_before(float* score, const float* __restrict__ vectors, const float* __restrict__ query, int count)
{
    constexpr int STAGES = 2, DIM4 = 64;
    __shared__ float4 ring[STAGES][4][DIM4];
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, step = gridDim.x * 4;
    const float4* from = reinterpret_cast<const float4*>(vectors);
    const float4 q0 = reinterpret_cast<const float4*>(query)[lane], q1 = reinterpret_cast<const float4*>(query)[lane + 32];
    int ahead = blockIdx.x * 4 + warp;
    auto fetch = [&](int stage) {
        if (ahead < count) {
            const float4* row = from + (long long)ahead * DIM4;
            __pipeline_memcpy_async(&ring[stage][warp][lane], row + lane, 16);
            __pipeline_memcpy_async(&ring[stage][warp][lane + 32], row + lane + 32, 16);
        }
        __pipeline_commit();
        ahead += step;
    };
    for (int s = 0; s < STAGES; ++s) {
        fetch(s);
    }
    int stage = 0;
    for (int v = blockIdx.x * 4 + warp; v < count; v += step) {
        __pipeline_wait_prior(STAGES - 1);
        const float4 a = ring[stage][warp][lane], b = ring[stage][warp][lane + 32];
        float sum = a.x * q0.x + a.y * q0.y + a.z * q0.z + a.w * q0.w + b.x * q1.x + b.y * q1.y + b.z * q1.z + b.w * q1.w;
        fetch(stage);
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_xor_sync(~0u, sum, d);
        }
        if (lane == 0) {
            score[v] = sum;
        }
    }
}
