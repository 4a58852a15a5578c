// ema_shadow_after: a running mean of the weights of a network.
#include <cuda_pipeline.h>

#define STAGES 4

// Four weights a thread at a time, copied into shared memory three steps ahead.
extern "C" __global__ void __launch_bounds__(256) ema_shadow_after(float4* __restrict__ out, const float4* __restrict__ shadow, const float4* __restrict__ weight, float decay, int fours)
{
    __shared__ float4 stage[STAGES][2][256];
    const int step = gridDim.x * 256, first = blockIdx.x * 256 + threadIdx.x;
    const float rest = 1.0f - decay;
#pragma unroll
    for (int k = 0; k < STAGES - 1; ++k) {
        if (first + k * step < fours) {
            __pipeline_memcpy_async(&stage[k][0][threadIdx.x], &shadow[first + k * step], 16);
            __pipeline_memcpy_async(&stage[k][1][threadIdx.x], &weight[first + k * step], 16);
        }
        __pipeline_commit();
    }
    int slot = 0;
    for (int i = first; i < fours; i += step) {
        const int next = i + (STAGES - 1) * step, into = (slot + STAGES - 1) % STAGES;
        if (next < fours) {
            __pipeline_memcpy_async(&stage[into][0][threadIdx.x], &shadow[next], 16);
            __pipeline_memcpy_async(&stage[into][1][threadIdx.x], &weight[next], 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        const float4 s = stage[slot][0][threadIdx.x], w = stage[slot][1][threadIdx.x];
        out[i] = make_float4(decay * s.x + rest * w.x, decay * s.y + rest * w.y, decay * s.z + rest * w.z, decay * s.w + rest * w.w);
        slot = (slot + 1) % STAGES;
    }
}
