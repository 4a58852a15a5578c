// biquad_cascade_before: four second-order filters in series over the channels of a recording, a thread to a channel, a sample goes through
// all four before the next.
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

extern "C" __global__ void __launch_bounds__(32) biquad_cascade_before(float* __restrict__ out, const float* __restrict__ in, const Biquad* __restrict__ design, int channels, int samples)
{
    __shared__ float piece[32][32];
    const int t = threadIdx.x, channel = blockIdx.x * 32 + t;
    Biquad c[4];
    Memory m[4];
#pragma unroll
    for (int s = 0; s < 4; ++s) {
        c[s] = design[s];
    }
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
#pragma unroll 1
        for (int k = 0; k < 32; ++k) {
            float x = piece[k][t];
#pragma unroll
            for (int s = 0; s < 4; ++s) {
                x = m[s](c[s], x);
            }
            out[(long long)(first + k) * channels + channel] = x;
        }
    }
}
