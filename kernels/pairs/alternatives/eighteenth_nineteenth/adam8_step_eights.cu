// adam8_step_eights: a step of Adam with moments of eight bits, eight weights a thread (16 and 8 bytes an access), eight groups of 256 to a block, trees and barriers kept.
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

extern "C" __global__ void __launch_bounds__(256) adam8_step_eights(half* __restrict__ weight, signed char* __restrict__ first, unsigned char* __restrict__ second, float* __restrict__ first_scale, float* __restrict__ second_scale, const half* __restrict__ gradient, float beta1, float beta2, float rate, float epsilon)
{
    __shared__ float most_m[256], most_v[256];
    const Step step = {beta1, beta2, rate, epsilon};
    const int t = threadIdx.x, x = t % 32, b = blockIdx.x * 8 + t / 32, i = b * 32 + x;
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
    ((uint4*)weight)[i] = ws;
    most_m[t] = sm;
    most_v[t] = sv;
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) {
        if (x < d) {
            most_m[t] = fmaxf(most_m[t], most_m[t + d]);
            most_v[t] = fmaxf(most_v[t], most_v[t + d]);
        }
        __syncthreads();
    }
    sm = most_m[t - x], sv = most_v[t - x];
    const float im = sm > 0.0f ? 127.0f / sm : 0.0f, iv = sv > 0.0f ? 255.0f / sv : 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        ((signed char*)&ms)[k] = (signed char)__float2int_rn(m[k] * im);
        ((unsigned char*)&vs)[k] = (unsigned char)__float2int_rn(v[k] * iv);
    }
    ((uint2*)first)[i] = ms;
    ((uint2*)second)[i] = vs;
    if (x == 0) {
        first_scale[b] = sm / 127.0f;
        second_scale[b] = sv / 255.0f;
    }
}
