// polyphase_bank_after: the filter of a polyphase filter bank: 16 taps over time for each of 1,024 channels, complex samples.
#define TAPS 16
#define STEPS 64

// 64 samples of a channel a thread, one after another; the last 16 inputs and the taps stay in registers.
extern "C" __global__ void __launch_bounds__(128) polyphase_bank_after(float2* __restrict__ out, const float2* __restrict__ in, const float* __restrict__ tap, int channels, int times)
{
    const int c = blockIdx.x * 128 + threadIdx.x, first = blockIdx.y * STEPS;
    if (c >= channels || first >= times) {
        return;
    }
    const float2* from = in + (long long)first * channels + c;
    float2* to = out + (long long)first * channels + c;
    float h[TAPS];
    float2 last[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS; ++k) {
        h[k] = tap[k * channels + c];
    }
#pragma unroll
    for (int k = 0; k < TAPS - 1; ++k) {
        last[k] = from[(long long)k * channels];
    }
    for (int t = 0; t < STEPS; t += TAPS) {
#pragma unroll
        for (int u = 0; u < TAPS; ++u) {
            last[(u + TAPS - 1) % TAPS] = from[(long long)(t + u + TAPS - 1) * channels];
            float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
            for (int k = 0; k < TAPS; ++k) {
                sum.x += h[k] * last[(u + k) % TAPS].x;
                sum.y += h[k] * last[(u + k) % TAPS].y;
            }
            to[(long long)(t + u) * channels] = sum;
        }
    }
}
