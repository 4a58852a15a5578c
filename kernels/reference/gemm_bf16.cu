// gemm_bf16: out = a * b^T of 4096 x 4096 BF16 matrices with sums in double precision; grid 4096 x 16, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

#include <cuda_bf16.h>

__global__ void gemm_bf16_ref(__nv_bfloat16* out, const __nv_bfloat16* a, const __nv_bfloat16* b)
{
    const size_t m = blockIdx.x;
    const size_t n = blockIdx.y * 256u + threadIdx.x;
    double sum = 0.0;
    for (unsigned k = 0; k < 4096u; ++k) {
        sum += static_cast<double>(__bfloat162float(a[m * 4096u + k])) * static_cast<double>(__bfloat162float(b[n * 4096u + k]));
    }
    out[m * 4096u + n] = __double2bfloat16(sum);
}
