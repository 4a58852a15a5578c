// hgemm_ref: C = A Bt, a thread to a value; grid [n / 16, m / 16], block [16, 16]. What both kernels of the pair are checked against.
#include <cuda_fp16.h>

__global__ void hgemm_ref(__half* c, const __half* a, const __half* b, int n, int k)
{
    const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    const __half2* x = reinterpret_cast<const __half2*>(a + (long long)row * k);
    const __half2* y = reinterpret_cast<const __half2*>(b + (long long)column * k);
    float sum = 0.0f;
    for (int i = 0; i < k / 2; ++i) {
        const float2 p = __half22float2(x[i]), q = __half22float2(y[i]);
        sum += p.x * q.x + p.y * q.y;
    }
    c[(long long)row * n + column] = __float2half(sum);
}
