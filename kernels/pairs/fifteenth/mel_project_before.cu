// mel_project_before: power spectra of frames projected on 64 mel bands.
#include <cuda_fp16.h>

#define BINS 256
#define BANDS 64

// Four frames a block, a band a thread.
extern "C" __global__ void __launch_bounds__(256) mel_project_before(float* __restrict__ out, const half* __restrict__ power, const half* __restrict__ mel, int frames)
{
    __shared__ half s[4][BINS];
    const int band = threadIdx.x % BANDS, f = threadIdx.x / BANDS;
    for (int k = band; k < BINS; k += BANDS) {
        s[f][k] = power[(long long)(blockIdx.x * 4 + f) * BINS + k];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < BINS; ++k) {
        sum += __half2float(s[f][k]) * __half2float(mel[k * BANDS + band]);
    }
    out[(long long)(blockIdx.x * 4 + f) * BANDS + band] = sum;
}
