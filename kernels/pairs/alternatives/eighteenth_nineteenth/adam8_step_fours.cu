// adam8_step_fours: a step of Adam with moments of eight bits, a block of 64 threads to 256 weights, four a thread (8 and 4 bytes an access), tree and barriers kept.
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

extern "C" __global__ void __launch_bounds__(64) adam8_step_fours(half* __restrict__ weight, signed char* __restrict__ first, unsigned char* __restrict__ second, float* __restrict__ first_scale, float* __restrict__ second_scale, const half* __restrict__ gradient, float beta1, float beta2, float rate, float epsilon)
{
    __shared__ float most_m[64], most_v[64];
    const Step step = {beta1, beta2, rate, epsilon};
    const int b = blockIdx.x, x = threadIdx.x, i = b * 64 + x;
    uint2 ws = ((uint2*)weight)[i];
    const uint2 gs = ((const uint2*)gradient)[i];
    unsigned int ms = ((unsigned int*)first)[i], vs = ((unsigned int*)second)[i];
    const float old_m = first_scale[b], old_v = second_scale[b];
    half* w = (half*)&ws;
    const half* g = (const half*)&gs;
    float m[4], v[4], sm = 0.0f, sv = 0.0f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        m[k] = ((signed char*)&ms)[k] * old_m;
        v[k] = ((unsigned char*)&vs)[k] * old_v;
        step.moments(__half2float(g[k]), m[k], v[k]);
        w[k] = __float2half_rn(step.weight(__half2float(w[k]), m[k], v[k]));
        v[k] = sqrtf(v[k]);
        sm = fmaxf(sm, fabsf(m[k]));
        sv = fmaxf(sv, v[k]);
    }
    ((uint2*)weight)[i] = ws;
    most_m[x] = sm;
    most_v[x] = sv;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (x < d) {
            most_m[x] = fmaxf(most_m[x], most_m[x + d]);
            most_v[x] = fmaxf(most_v[x], most_v[x + d]);
        }
        __syncthreads();
    }
    sm = most_m[0], sv = most_v[0];
    const float im = sm > 0.0f ? 127.0f / sm : 0.0f, iv = sv > 0.0f ? 255.0f / sv : 0.0f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        ((signed char*)&ms)[k] = (signed char)__float2int_rn(m[k] * im);
        ((unsigned char*)&vs)[k] = (unsigned char)__float2int_rn(v[k] * iv);
    }
    ((unsigned int*)first)[i] = ms;
    ((unsigned int*)second)[i] = vs;
    if (x == 0) {
        first_scale[b] = sm / 127.0f;
        second_scale[b] = sv / 255.0f;
    }
}
