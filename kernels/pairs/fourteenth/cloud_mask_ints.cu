// cloud_mask_ints: what checks the masks of integers.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) cloud_mask_ints(__half* __restrict__ out, const __half* __restrict__ image, const unsigned int* __restrict__ valid, const unsigned int* __restrict__ cloud, const unsigned int* __restrict__ water, int pixels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) {
        const bool keep = (valid[i] != 0) + 2 * (cloud[i] != 0) + 4 * (water[i] != 0) == 1;
        out[i] = keep ? image[i] : __float2half(0.0f);
    }
}
