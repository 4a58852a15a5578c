// batched_gemm_gelu: one output to a thread, in double precision; grid 2 x 512 x batch, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

#include <cuda_bf16.h>

__global__ void batched_gemm_gelu_ref(__nv_bfloat16* out, const __nv_bfloat16* a, const __nv_bfloat16* b, const float* bias)
{
    const unsigned column = blockIdx.x * 256u + threadIdx.x, problem = blockIdx.z * 262144u;
    double sum = static_cast<double>(bias[column]);
    for (unsigned k = 0; k < 512u; ++k) {
        const float left = __bfloat162float(a[problem + blockIdx.y * 512u + k]);
        sum += static_cast<double>(left) * static_cast<double>(__bfloat162float(b[problem + column * 512u + k]));
    }
    const double value = 0.5 * sum * (1.0 + erf(sum * 0.70710678118654752));
    out[problem + blockIdx.y * 512u + column] = __float2bfloat16(static_cast<float>(value));
}
