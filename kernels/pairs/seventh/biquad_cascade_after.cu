// biquad_cascade_after: four second-order filters in series over the channels of a recording, a thread to a channel, the filters side by
// side, each a sample behind the one before it.
struct Biquad {
    float b0, b1, b2, a1, a2;
};
struct Memory {
    float x1 = 0.0f, x2 = 0.0f, y1 = 0.0f, y2 = 0.0f;
    __device__ __forceinline__ float operator()(const Biquad& c, float x)
    {
        const float y = c.b0 * x + c.b1 * x1 + c.b2 * x2 - c.a1 * y1 - c.a2 * y2;
        x2 = x1;
        x1 = x;
        y2 = y1;
        y1 = y;
        return y;
    }
};

extern "C" __global__ void __launch_bounds__(32) biquad_cascade_after(float* __restrict__ out, const float* __restrict__ in, const Biquad* __restrict__ design, int channels, int samples)
{
    __shared__ float piece[32][32];
    const int t = threadIdx.x, channel = blockIdx.x * 32 + t;
    Biquad c[4];
    Memory m[4];
#pragma unroll
    for (int s = 0; s < 4; ++s) {
        c[s] = design[s];
    }
    float between[3] = {};
    float ahead[32];
#pragma unroll
    for (int k = 0; k < 32; ++k) {
        ahead[k] = in[(long long)k * channels + channel];
    }
    for (int first = 0; first < samples; first += 32) {
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            piece[k][t] = ahead[k];
        }
        if (first + 32 < samples) {
#pragma unroll
            for (int k = 0; k < 32; ++k) {
                ahead[k] = in[(long long)(first + 32 + k) * channels + channel];
            }
        }
        float x = piece[0][t];
#pragma unroll 1
        for (int k = 0; k < 32; ++k) {
            const float later = piece[(k + 1) % 32][t];
            const float y = m[3](c[3], between[2]);
            between[2] = m[2](c[2], between[1]);
            between[1] = m[1](c[1], between[0]);
            between[0] = m[0](c[0], x);
            x = later;
            if (first + k >= 3) {
                out[(long long)(first + k - 3) * channels + channel] = y;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const float y = m[3](c[3], between[2]);
        between[2] = m[2](c[2], between[1]);
        between[1] = m[1](c[1], between[0]);
        between[0] = 0.0f;
        out[(long long)(samples - 3 + k) * channels + channel] = y;
    }
}
