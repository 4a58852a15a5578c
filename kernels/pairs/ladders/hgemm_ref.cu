// hgemm_ref: C = A · B of half, a thread an element; grid [n / 32, n / 32], block [32, 32].
#include <cuda_fp16.h>
extern "C" __global__ void hgemm_ref(float* c, const __half* a, const __half* b, int n)
{
    __shared__ __half as[32][34], bs[32][34];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
    float sum = 0.f;
    for (int t = 0; t < n; t += 32) {
        as[y][x] = a[(long long)row * n + t + x];
        bs[y][x] = b[(long long)(t + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; ++k) {
            sum += __half2float(as[y][k]) * __half2float(bs[k][x]);
        }
        __syncthreads();
    }
    c[(long long)row * n + column] = sum;
}
