// iq_mix_before: complex samples turned by the phase of a tracking loop.
extern "C" __global__ void __launch_bounds__(256) iq_mix_before(float2* __restrict__ out, const float2* __restrict__ in, const float* __restrict__ phase, int samples)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= samples) {
        return;
    }
    const float2 v = in[i];
    float s, c;
    sincosf(phase[i], &s, &c);
    out[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}
