// beam_power_before: power of 64 beams from the samples of 64 antennas, complex, planes of real and imaginary halves.
#include <cuda_fp16.h>

#define ANTENNAS 64

// A thread to a beam and a sample.
extern "C" __global__ void __launch_bounds__(256) beam_power_before(float* __restrict__ out, const half* __restrict__ weight_re, const half* __restrict__ weight_im, const half* __restrict__ sample_re, const half* __restrict__ sample_im, int samples)
{
    const int s = blockIdx.x * 32 + threadIdx.x, beam = blockIdx.y * 8 + threadIdx.y;
    float re = 0.0f, im = 0.0f;
    for (int a = 0; a < ANTENNAS; ++a) {
        const float wr = __half2float(weight_re[beam * ANTENNAS + a]), wi = __half2float(weight_im[beam * ANTENNAS + a]);
        const float xr = __half2float(sample_re[a * samples + s]), xi = __half2float(sample_im[a * samples + s]);
        re += wr * xr - wi * xi;
        im += wr * xi + wi * xr;
    }
    out[beam * samples + s] = re * re + im * im;
}
