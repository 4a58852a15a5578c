// narrow_products: 256 times a (16896 x 64) * b (256 x 64)^T, in double precision; grid 16896, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

#include <cuda_bf16.h>

__global__ void narrow_products_ref(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b)
{
    const size_t m = blockIdx.x;
    const size_t n = threadIdx.x;
    double sum = 0.0;
    for (unsigned k = 0; k < 64u; ++k) {
        sum += static_cast<double>(__bfloat162float(a[m * 64u + k])) * static_cast<double>(__bfloat162float(b[n * 64u + k]));
    }
    out[m * 256u + n] = static_cast<float>(256.0 * sum);
}
