// bias_gelu_before: quick GELU of x + bias in half precision, 16 bytes a lane, a thread to eight values.
#include <cuda_fp16.h>

__device__ __forceinline__ uint4 layer(uint4 a, uint4 b)
{
    __half2* v = reinterpret_cast<__half2*>(&a);
    const __half2* w = reinterpret_cast<const __half2*>(&b);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 x = __half22float2(__hadd2(v[i], w[i]));
        v[i] = __floats2half2_rn(x.x / (1.0f + __expf(-1.702f * x.x)), x.y / (1.0f + __expf(-1.702f * x.y)));
    }
    return a;
}

extern "C" __global__ void __launch_bounds__(256) bias_gelu_before(uint4* out, const uint4* __restrict__ in, const uint4* __restrict__ bias, int tiles)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = layer(in[i], bias[i & 511]);
}
