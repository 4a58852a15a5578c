// plane_waves_split_4: structure factors, a thread to a wave vector and a quarter of the points, quarters in blocks of their own, joined by atomics.
constexpr int Parts = 4;

extern "C" __global__ void __launch_bounds__(128) plane_waves_split_4(float* __restrict__ out, const float* __restrict__ wave, const float* __restrict__ point, int waves, int points)
{
    const int t = blockIdx.x * 128 + threadIdx.x;
    const int w = min(t, waves - 1);
    const float kx = wave[3 * w], ky = wave[3 * w + 1], kz = wave[3 * w + 2];
    const float4* const p = reinterpret_cast<const float4*>(point);
    const int each = (points + Parts - 1) / Parts, first = blockIdx.y * each, last = min(first + each, points);
    float re = 0.0f, im = 0.0f;
#pragma unroll 4
    for (int i = first; i < last; ++i) {
        const float4 v = p[i];
        float s, c;
        __sincosf(kx * v.x + ky * v.y + kz * v.z, &s, &c);
        re += v.w * c;
        im += v.w * s;
    }
    if (t < waves) {
        atomicAdd(out + 2 * t, re);
        atomicAdd(out + 2 * t + 1, im);
    }
}
