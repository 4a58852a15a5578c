// swiglu_before: silu(gate) * up in half precision, eight values to a thread, as many blocks as it takes.
#include <cuda_fp16.h>

__device__ __forceinline__ __half2 gated(__half2 g, __half2 u)
{
    const float2 x = __half22float2(g), y = __half22float2(u);
    return __floats2half2_rn(__fdividef(x.x, 1.0f + __expf(-x.x)) * y.x, __fdividef(x.y, 1.0f + __expf(-x.y)) * y.y);
}

extern "C" __global__ void __launch_bounds__(256) swiglu_before(uint4* __restrict__ out, const uint4* __restrict__ gate, const uint4* __restrict__ up, unsigned count8)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    if (i < count8) {
        uint4 g = gate[i];
        const uint4 u = up[i];
        __half2* x = reinterpret_cast<__half2*>(&g);
        const __half2* y = reinterpret_cast<const __half2*>(&u);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            x[k] = gated(x[k], y[k]);
        }
        out[i] = g;
    }
}
