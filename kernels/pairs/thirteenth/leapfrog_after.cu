// leapfrog_after: places and speeds of particles after a step.
#include <cuda_pipeline.h>

#define STAGES 3

// Copies of the next steps under way in shared memory; each thread reads what it copied itself.
extern "C" __global__ void __launch_bounds__(256) leapfrog_after(float4* __restrict__ place_out, float4* __restrict__ speed_out, const float4* __restrict__ place, const float4* __restrict__ speed, const float4* __restrict__ force, float dt, int fours)
{
    __shared__ float4 ring[STAGES][3][256];
    const int stride = gridDim.x * 256, t = threadIdx.x;
    int ahead = blockIdx.x * 256 + t;
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (ahead < fours) {
            __pipeline_memcpy_async(&ring[s][0][t], &force[ahead], 16);
            __pipeline_memcpy_async(&ring[s][1][t], &speed[ahead], 16);
            __pipeline_memcpy_async(&ring[s][2][t], &place[ahead], 16);
        }
        __pipeline_commit();
        ahead += stride;
    }
    int stage = 0, fill = STAGES - 1;
    for (int i = blockIdx.x * 256 + t; i < fours; i += stride) {
        if (ahead < fours) {
            __pipeline_memcpy_async(&ring[fill][0][t], &force[ahead], 16);
            __pipeline_memcpy_async(&ring[fill][1][t], &speed[ahead], 16);
            __pipeline_memcpy_async(&ring[fill][2][t], &place[ahead], 16);
        }
        __pipeline_commit();
        ahead += stride;
        fill = fill + 1 == STAGES ? 0 : fill + 1;
        __pipeline_wait_prior(STAGES - 1);
        const float4 f = ring[stage][0][t];
        float4 v = ring[stage][1][t], p = ring[stage][2][t];
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        v.x += dt * f.x;
        v.y += dt * f.y;
        v.z += dt * f.z;
        v.w += dt * f.w;
        p.x += dt * v.x;
        p.y += dt * v.y;
        p.z += dt * v.z;
        p.w += dt * v.w;
        speed_out[i] = v;
        place_out[i] = p;
    }
}
