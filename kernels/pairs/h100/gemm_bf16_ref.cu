// gemm_bf16_ref: C = relu(A B + bias), a thread to a value; grid [n / 32, m / 8], block [32, 8]. What both kernels of the pair are checked against.
#include <cuda_bf16.h>

extern "C" __global__ void gemm_bf16_ref(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, const float* bias, int n, int k)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) {
        sum += __bfloat162float(a[(long long)row * k + i]) * __bfloat162float(b[(long long)i * n + column]);
    }
    c[(long long)row * n + column] = __float2bfloat16(fmaxf(sum + bias[column], 0.0f));
}
