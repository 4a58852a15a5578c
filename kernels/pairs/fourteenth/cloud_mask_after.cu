// cloud_mask_after: pixels that are valid, without cloud and no water; three masks.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) cloud_mask_after(__half* __restrict__ out, const __half* __restrict__ image, const unsigned int* __restrict__ valid, const unsigned int* __restrict__ cloud, const unsigned int* __restrict__ water, int pixels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) {
        const bool keep = (valid[i / 32] >> i % 32 & 1) && !(cloud[i / 32] >> i % 32 & 1) && !(water[i / 32] >> i % 32 & 1);
        out[i] = keep ? image[i] : __float2half(0.0f);
    }
}
