// kv_dequant_before: bytes of a quantised cache back to halves, a scale for each 64.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) kv_dequant_before(half* __restrict__ out, const unsigned char* __restrict__ code, const float* __restrict__ scale, int count)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        out[i] = __float2half_rn(((int)code[i] - 128) * scale[i / 64]);
    }
}
