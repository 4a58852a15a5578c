// cloud_mask_before: pixels that are valid, without cloud and no water; three masks.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) cloud_mask_before(__half* __restrict__ out, const __half* __restrict__ image, const unsigned int* __restrict__ valid, const unsigned int* __restrict__ cloud, const unsigned int* __restrict__ water, int pixels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) {
        const bool keep = valid[i] && !cloud[i] && !water[i];
        out[i] = keep ? image[i] : __float2half(0.0f);
    }
}
