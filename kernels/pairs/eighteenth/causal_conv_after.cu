// causal_conv_after: convolution of four taps over time for each channel and SiLU (the first step of a Mamba block), channels last.
#include <cuda_fp16.h>

__device__ __forceinline__ void add(float (&sum)[8], const uint4 x, const uint4 w)
{
    const half2* a = (const half2*)&x;
    const half2* b = (const half2*)&w;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float2 f = __half22float2(a[k]), g = __half22float2(b[k]);
        sum[2 * k] += f.x * g.x;
        sum[2 * k + 1] += f.y * g.y;
    }
}

__device__ __forceinline__ uint4 silu(const float (&sum)[8])
{
    uint4 v;
    half2* h = (half2*)&v;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float x = sum[2 * k], y = sum[2 * k + 1];
        h[k] = __floats2half2_rn(__fdividef(x, 1.0f + __expf(-x)), __fdividef(y, 1.0f + __expf(-y)));
    }
    return v;
}

// Sixteen steps of 128 channels to a block, eight channels a thread; the weights tap by tap.
extern "C" __global__ void __launch_bounds__(256) causal_conv_after(uint4* __restrict__ out, const uint4* __restrict__ in, const uint4* __restrict__ weight, int eighths, int steps)
{
    const int x = threadIdx.x % 16, y = threadIdx.x / 16, c = blockIdx.x * 16 + x, first = blockIdx.y * 16, t = first + y;
    const long long sequence = (long long)blockIdx.z * steps * eighths;
    __shared__ uint4 tile[19][16];
    tile[y + 3][x] = in[sequence + (long long)t * eighths + c];
    if (y < 3) {
        tile[y][x] = first > 0 ? in[sequence + (long long)(first - 3 + y) * eighths + c] : make_uint4(0u, 0u, 0u, 0u);
    }
    __syncthreads();
    float sum[8] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        add(sum, tile[y + k][x], weight[k * eighths + c]);
    }
    out[sequence + (long long)t * eighths + c] = silu(sum);
}
