// residual_add_after: hidden states, a branch scaled by column and a bias added in BF16, loads and stores of 16 bytes.
#include <cuda_bf16.h>

extern "C" __global__ void __launch_bounds__(256) residual_add_after(__nv_bfloat16* out, const __nv_bfloat16* __restrict__ hidden, const __nv_bfloat16* __restrict__ branch, const float* __restrict__ scale, const float* __restrict__ bias, int columns)
{
    union Pack { uint4 whole; __nv_bfloat162 pair[4]; };
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const int column = (int)(at % (columns / 8)) * 8;
    Pack h, b;
    h.whole = reinterpret_cast<const uint4*>(hidden)[at];
    b.whole = reinterpret_cast<const uint4*>(branch)[at];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float2 s = *reinterpret_cast<const float2*>(scale + column + 2 * k), o = *reinterpret_cast<const float2*>(bias + column + 2 * k);
        const float2 x = __bfloat1622float2(h.pair[k]), y = __bfloat1622float2(b.pair[k]);
        h.pair[k] = __floats2bfloat162_rn(x.x + y.x * s.x + o.x, x.y + y.y * s.y + o.y);
    }
    reinterpret_cast<uint4*>(out)[at] = h.whole;
}
