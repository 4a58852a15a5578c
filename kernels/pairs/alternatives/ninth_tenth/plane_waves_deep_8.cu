// plane_waves_deep_8: structure factors, a thread to a wave vector, 8 points loaded before the 8 before them are used, the last ones behind the loop.
constexpr int Ahead = 8;

extern "C" __global__ void __launch_bounds__(128) plane_waves_deep_8(float* __restrict__ out, const float* __restrict__ wave, const float* __restrict__ point, int waves, int points)
{
    const int t = blockIdx.x * 128 + threadIdx.x;
    const int w = min(t, waves - 1);
    const float kx = wave[3 * w], ky = wave[3 * w + 1], kz = wave[3 * w + 2];
    const float4* p = reinterpret_cast<const float4*>(point);
    float re = 0.0f, im = 0.0f;
    const auto add = [&](const float4& v) {
        float s, c;
        __sincosf(kx * v.x + ky * v.y + kz * v.z, &s, &c);
        re += v.w * c;
        im += v.w * s;
    };
    int left = points;
    if (left >= Ahead) {
        float4 next[Ahead];
#pragma unroll
        for (int k = 0; k < Ahead; ++k) {
            next[k] = p[k];
        }
#pragma unroll 1
        for (; left >= 2 * Ahead; left -= Ahead) {
            p += Ahead;
            float4 v[Ahead];
#pragma unroll
            for (int k = 0; k < Ahead; ++k) {
                v[k] = next[k];
                next[k] = p[k];
            }
#pragma unroll
            for (int k = 0; k < Ahead; ++k) {
                add(v[k]);
            }
        }
#pragma unroll
        for (int k = 0; k < Ahead; ++k) {
            add(next[k]);
        }
        p += Ahead;
        left -= Ahead;
    }
    for (int i = 0; i < left; ++i) {
        add(p[i]);
    }
    if (t < waves) {
        reinterpret_cast<float2*>(out)[t] = make_float2(re, im);
    }
}
