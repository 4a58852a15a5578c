// wmma_gemm: one output to a thread, sums in double precision; grid 16 x 4096, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

#include <cuda_fp16.h>

__global__ void wmma_gemm_ref(float* c, const __half* a, const __half* b, unsigned n, unsigned k)
{
    const unsigned column = blockIdx.x * 256u + threadIdx.x, row = blockIdx.y;
    double sum = 0.0;
    for (unsigned l = 0; l < k; ++l) {
        sum += static_cast<double>(__half2float(a[row * k + l]) * __half2float(b[l * n + column]));
    }
    c[row * n + column] = static_cast<float>(sum);
}
