// adamw_before: a step of AdamW, a thread to a parameter.
__device__ __forceinline__ void step(float& p, float& m, float& v, float g, float rate, float decay)
{
    m = 0.9f * m + 0.1f * g;
    v = 0.999f * v + 0.001f * g * g;
    p -= rate * (m * rsqrtf(v + 1e-12f) + decay * p);
}

extern "C" __global__ void __launch_bounds__(256) adamw_before(float* __restrict__ p_out, float* __restrict__ m_out, float* __restrict__ v_out,
                                                              const float* __restrict__ p_in, const float* __restrict__ m_in,
                                                              const float* __restrict__ v_in, const float* __restrict__ gradient,
                                                              float rate, float decay)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    float p = p_in[i], m = m_in[i], v = v_in[i];
    const float g = gradient[i];
    step(p, m, v, g, rate, decay);
    p_out[i] = p;
    m_out[i] = m;
    v_out[i] = v;
}
