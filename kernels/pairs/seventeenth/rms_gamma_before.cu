// rms_gamma_before: gradient of the weights of an RMSNorm: products of the gradient and the normed input, summed over the rows.
#include <cuda_bf16.h>

// 512 columns to a block, every gridDim.y-th row.
extern "C" __global__ void __launch_bounds__(256) rms_gamma_before(float* __restrict__ out, const __nv_bfloat162* __restrict__ gradient, const __nv_bfloat162* __restrict__ in, const float* __restrict__ scale, int rows, int pairs)
{
    const int c = blockIdx.x * 256 + threadIdx.x;
    float x = 0.0f, y = 0.0f;
    for (int r = blockIdx.y; r < rows; r += gridDim.y) {
        const long long at = (long long)r * pairs + c;
        const float2 g = __bfloat1622float2(gradient[at]);
        const float2 v = __bfloat1622float2(in[at]);
        const float s = scale[r];
        x += g.x * v.x * s;
        y += g.y * v.y * s;
    }
    atomicAdd(out + 2 * c, x);
    atomicAdd(out + 2 * c + 1, y);
}
