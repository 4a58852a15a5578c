// cloud_mask_bits: what checks the masks of bits.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) cloud_mask_bits(__half* __restrict__ out, const __half* __restrict__ image, const unsigned int* __restrict__ valid, const unsigned int* __restrict__ cloud, const unsigned int* __restrict__ water, int pixels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) {
        const unsigned int bit = 1u << (i & 31), w = i >> 5;
        const bool keep = (valid[w] & ~cloud[w] & ~water[w] & bit) != 0;
        out[i] = keep ? image[i] : __float2half(0.0f);
    }
}
