// kv_dequant_after: bytes of a quantised cache back to halves, a scale for each 64.
#include <cuda_fp16.h>

// Eight values a thread: 8 bytes read, 16 written.
extern "C" __global__ void __launch_bounds__(256) kv_dequant_after(half* __restrict__ out, const unsigned char* __restrict__ code, const float* __restrict__ scale, int count)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count / 8) {
        const uint2 c = ((const uint2*)code)[i];
        const float s = scale[i / 8];
        half2 h[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned int two = (k < 2 ? c.x : c.y) >> (16 * (k % 2));
            h[k] = __floats2half2_rn(((int)(two & 255) - 128) * s, ((int)(two >> 8 & 255) - 128) * s);
        }
        ((uint4*)out)[i] = *(const uint4*)h;
    }
}
