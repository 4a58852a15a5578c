// fp4_expand_after: weights of four bits (one of sign, two of exponent, one of mantissa), a scale to 16 of them, as halves.
#include <cuda_fp16.h>

// Eight weights a thread. The bits of a weight are those of a half 2^14 times smaller.
extern "C" __global__ void __launch_bounds__(256) fp4_expand_after(uint4* __restrict__ out, const unsigned int* __restrict__ packed, const half* __restrict__ scale, int words)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= words) {
        return;
    }
    const unsigned int w = packed[i];
    const half2 s = __half2half2(scale[i / 2]);
    const half2 up = __float2half2_rn(16384.0f);
    uint4 v;
    half2* h = (half2*)&v;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const unsigned int u = w >> (8 * j);
        const unsigned int t = (u & 0xfu) | (u & 0xf0u) << 12;
        const unsigned int bits = (t & 0x00070007u) << 9 | (t & 0x00080008u) << 12;
        h[j] = __hmul2(__hmul2(*(const half2*)&bits, up), s);
    }
    out[i] = v;
}
