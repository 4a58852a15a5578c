// plane_waves_before: structure factors, a thread to a wave vector, points one after another.
extern "C" __global__ void __launch_bounds__(128) plane_waves_before(float* __restrict__ out, const float* __restrict__ wave, const float* __restrict__ point, int waves, int points)
{
    const int t = blockIdx.x * 128 + threadIdx.x;
    const int w = min(t, waves - 1);
    const float kx = wave[3 * w], ky = wave[3 * w + 1], kz = wave[3 * w + 2];
    const float4* const p = reinterpret_cast<const float4*>(point);
    float re = 0.0f, im = 0.0f;
#pragma unroll 4
    for (int i = 0; i < points; ++i) {
        const float4 v = p[i];
        float s, c;
        __sincosf(kx * v.x + ky * v.y + kz * v.z, &s, &c);
        re += v.w * c;
        im += v.w * s;
    }
    if (t < waves) {
        reinterpret_cast<float2*>(out)[t] = make_float2(re, im);
    }
}
