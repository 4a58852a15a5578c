// lora_down_before: activations times a matrix of rank 16, an output to a thread, tiles of both in shared memory, products on the FP32 pipe.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) lora_down_before(float* out, const __half* __restrict__ in, const __half* __restrict__ weight, int depth)
{
    __shared__ __half x[16][66], a[16][66];
    const int t = threadIdx.x, r = t & 15, row = t / 16;
    const long long first = (long long)blockIdx.x * 16;
    float sum = 0.0f;
    for (int at = 0; at < depth; at += 64) {
        for (int i = t; i < 512; i += 256) {
            *reinterpret_cast<__half2*>(&x[i / 32][i % 32 * 2]) = *reinterpret_cast<const __half2*>(in + (first + i / 32) * depth + at + i % 32 * 2);
            *reinterpret_cast<__half2*>(&a[i / 32][i % 32 * 2]) = *reinterpret_cast<const __half2*>(weight + i / 32 * depth + at + i % 32 * 2);
        }
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < 64; ++k) {
            sum += __half2float(x[row][k]) * __half2float(a[r][k]);
        }
        __syncthreads();
    }
    out[(first + row) * 16 + r] = sum;
}
