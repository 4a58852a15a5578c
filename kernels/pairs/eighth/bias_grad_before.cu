// bias_grad_before: gradient of a bias, columns of a matrix of bfloat16 summed over all rows, a block to 64 columns.
#include <cuda_bf16.h>

extern "C" __global__ void __launch_bounds__(512) bias_grad_before(float2* __restrict__ bias, const __nv_bfloat162* __restrict__ gradient, int rows, int pairs)
{
    __shared__ float2 part[16][33];
    const int x = blockIdx.x * 32 + threadIdx.x;
    float2 sum = make_float2(0.0f, 0.0f);
    for (int row = threadIdx.y; row < rows; row += 16) {
        const float2 v = __bfloat1622float2(gradient[(long long)row * pairs + x]);
        sum.x += v.x;
        sum.y += v.y;
    }
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        float2 total = bias[x];
        for (int y = 0; y < 16; ++y) {
            total.x += part[y][threadIdx.x].x;
            total.y += part[y][threadIdx.x].y;
        }
        bias[x] = total;
    }
}
