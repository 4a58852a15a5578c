// expert_gather_after: rows of the tokens copied to the order of their experts and scaled by the weights of the router, before the products of the experts.
#include <cuda_fp16.h>

// A block to a row.
extern "C" __global__ void __launch_bounds__(256) expert_gather_after(half* __restrict__ out, const half* __restrict__ token, const unsigned int* __restrict__ source, const float* __restrict__ weight, int hidden)
{
    const long long row = blockIdx.x;
    const uint4* from = (const uint4*)(token + (long long)source[row] * hidden);
    uint4* to = (uint4*)(out + row * hidden);
    const float w = weight[row];
    for (int i = threadIdx.x; i < hidden / 8; i += 256) {
        uint4 v = from[i];
        half2* h = (half2*)&v;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 f = __half22float2(h[k]);
            h[k] = __floats2half2_rn(f.x * w, f.y * w);
        }
        to[i] = v;
    }
}
