// fp4_expand_before: weights of four bits (one of sign, two of exponent, one of mantissa), a scale to 16 of them, as halves.
#include <cuda_fp16.h>

__constant__ float e2m1[16] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f, -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f};

// Eight weights a thread.
extern "C" __global__ void __launch_bounds__(256) fp4_expand_before(uint4* __restrict__ out, const unsigned int* __restrict__ packed, const half* __restrict__ scale, int words)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= words) {
        return;
    }
    const unsigned int w = packed[i];
    const float s = __half2float(scale[i / 2]);
    uint4 v;
    half2* h = (half2*)&v;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        h[j] = __floats2half2_rn(e2m1[w >> (8 * j) & 15] * s, e2m1[w >> (8 * j + 4) & 15] * s);
    }
    out[i] = v;
}
