// polyphase_bank_before: the filter of a polyphase filter bank: 16 taps over time for each of 1,024 channels, complex samples.
#define TAPS 16

// A sample of a channel a thread.
extern "C" __global__ void __launch_bounds__(256) polyphase_bank_before(float2* __restrict__ out, const float2* __restrict__ in, const float* __restrict__ tap, int channels, int times)
{
    const int c = blockIdx.x * 256 + threadIdx.x, t = blockIdx.y;
    if (c >= channels || t >= times) {
        return;
    }
    float2 sum = make_float2(0.0f, 0.0f);
    for (int k = 0; k < TAPS; ++k) {
        const float h = tap[k * channels + c];
        const float2 v = in[(long long)(t + k) * channels + c];
        sum.x += h * v.x;
        sum.y += h * v.y;
    }
    out[(long long)t * channels + c] = sum;
}
