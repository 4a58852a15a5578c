// adam8_step_before: a step of Adam with moments of eight bits, a scale to each 256 (the second moment as its root).
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

// A block to 256 weights.
extern "C" __global__ void __launch_bounds__(256) adam8_step_before(half* __restrict__ weight, signed char* __restrict__ first, unsigned char* __restrict__ second, float* __restrict__ first_scale, float* __restrict__ second_scale, const half* __restrict__ gradient, float beta1, float beta2, float rate, float epsilon)
{
    __shared__ float most_m[256], most_v[256];
    const Step step = {beta1, beta2, rate, epsilon};
    const int b = blockIdx.x, x = threadIdx.x, i = b * 256 + x;
    float m = first[i] * first_scale[b], v = second[i] * second_scale[b];
    step.moments(__half2float(gradient[i]), m, v);
    weight[i] = __float2half_rn(step.weight(__half2float(weight[i]), m, v));
    v = sqrtf(v);
    most_m[x] = fabsf(m);
    most_v[x] = v;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (x < d) {
            most_m[x] = fmaxf(most_m[x], most_m[x + d]);
            most_v[x] = fmaxf(most_v[x], most_v[x + d]);
        }
        __syncthreads();
    }
    const float sm = most_m[0], sv = most_v[0];
    first[i] = (signed char)__float2int_rn(m * (sm > 0.0f ? 127.0f / sm : 0.0f));
    second[i] = (unsigned char)__float2int_rn(v * (sv > 0.0f ? 255.0f / sv : 0.0f));
    if (x == 0) {
        first_scale[b] = sm / 127.0f;
        second_scale[b] = sv / 255.0f;
    }
}
