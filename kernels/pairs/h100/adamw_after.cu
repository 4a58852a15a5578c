// adamw_after: the same step, four parameters to a thread by loads and stores of 16 bytes.
__device__ __forceinline__ void step(float& p, float& m, float& v, float g, float rate, float decay)
{
    m = 0.9f * m + 0.1f * g;
    v = 0.999f * v + 0.001f * g * g;
    p -= rate * (m * rsqrtf(v + 1e-12f) + decay * p);
}

extern "C" __global__ void __launch_bounds__(256) adamw_after(float4* __restrict__ p_out, float4* __restrict__ m_out, float4* __restrict__ v_out,
                                                              const float4* __restrict__ p_in, const float4* __restrict__ m_in,
                                                              const float4* __restrict__ v_in, const float4* __restrict__ gradient,
                                                              float rate, float decay)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    float4 p = p_in[i], m = m_in[i], v = v_in[i];
    const float4 g = gradient[i];
    step(p.x, m.x, v.x, g.x, rate, decay);
    step(p.y, m.y, v.y, g.y, rate, decay);
    step(p.z, m.z, v.z, g.z, rate, decay);
    step(p.w, m.w, v.w, g.w, rate, decay);
    p_out[i] = p;
    m_out[i] = m;
    v_out[i] = v;
}
