// adam8_step_after: a step of Adam with moments of eight bits, a scale to each 256 (the second moment as its root).
#include <cuda_fp16.h>

struct Step {
    float beta1, beta2, rate, epsilon;
    __device__ __forceinline__ void moments(float g, float& m, float& v) const
    {
        m = __fmaf_rn(beta1, m, __fmul_rn(1.0f - beta1, g));
        v = __fmaf_rn(__fmul_rn(beta2, v), v, __fmul_rn(__fmul_rn(1.0f - beta2, g), g));
    }
    __device__ __forceinline__ float weight(float w, float m, float v) const
    {
        return __fmaf_rn(-rate, __fdividef(m, sqrtf(v) + epsilon), w);
    }
};

// A warp to 256 weights, eight a lane.
extern "C" __global__ void __launch_bounds__(256) adam8_step_after(half* __restrict__ weight, signed char* __restrict__ first, unsigned char* __restrict__ second, float* __restrict__ first_scale, float* __restrict__ second_scale, const half* __restrict__ gradient, float beta1, float beta2, float rate, float epsilon)
{
    const Step step = {beta1, beta2, rate, epsilon};
    const int b = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, i = b * 32 + lane;
    uint4 ws = ((uint4*)weight)[i];
    const uint4 gs = ((const uint4*)gradient)[i];
    uint2 ms = ((uint2*)first)[i], vs = ((uint2*)second)[i];
    const float old_m = first_scale[b], old_v = second_scale[b];
    half* w = (half*)&ws;
    const half* g = (const half*)&gs;
    float m[8], v[8], sm = 0.0f, sv = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        m[k] = ((signed char*)&ms)[k] * old_m;
        v[k] = ((unsigned char*)&vs)[k] * old_v;
        step.moments(__half2float(g[k]), m[k], v[k]);
        w[k] = __float2half_rn(step.weight(__half2float(w[k]), m[k], v[k]));
        v[k] = sqrtf(v[k]);
        sm = fmaxf(sm, fabsf(m[k]));
        sv = fmaxf(sv, v[k]);
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        sm = fmaxf(sm, __shfl_xor_sync(0xffffffffu, sm, d));
        sv = fmaxf(sv, __shfl_xor_sync(0xffffffffu, sv, d));
    }
    const float im = sm > 0.0f ? 127.0f / sm : 0.0f, iv = sv > 0.0f ? 255.0f / sv : 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        ((signed char*)&ms)[k] = (signed char)__float2int_rn(m[k] * im);
        ((unsigned char*)&vs)[k] = (unsigned char)__float2int_rn(v[k] * iv);
    }
    ((uint4*)weight)[i] = ws;
    ((uint2*)first)[i] = ms;
    ((uint2*)second)[i] = vs;
    if (lane == 0) {
        first_scale[b] = sm / 127.0f;
        second_scale[b] = sv / 255.0f;
    }
}
