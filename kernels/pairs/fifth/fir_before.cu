// fir_before: a filter of 128 taps over a long signal, samples and taps in shared memory, an output to a thread.
extern "C" __global__ void __launch_bounds__(256) fir_before(float* out, const float* __restrict__ in, const float* __restrict__ taps, int samples)
{
    constexpr int TAPS = 128, OUT = 256;
    __shared__ float tap[TAPS], part[OUT + TAPS];
    const int t = threadIdx.x;
    const long long first = (long long)blockIdx.x * OUT;
    for (int i = t; i < OUT + TAPS; i += 256) {
        part[i] = first + i < samples + TAPS ? in[first + i] : 0.0f;
    }
    if (t < TAPS) {
        tap[t] = taps[t];
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 8
    for (int k = 0; k < TAPS; ++k) {
        sum += tap[k] * part[t + k];
    }
    if (first + t < samples) {
        out[first + t] = sum;
    }
}
