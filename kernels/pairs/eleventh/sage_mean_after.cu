// sage_mean_after: mean of the features of a node's neighbours, a warp to a node.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) sage_mean_after(half2* __restrict__ out, const half2* __restrict__ feature, const unsigned int* __restrict__ start, const unsigned int* __restrict__ neighbour, int nodes)
{
    const int node = blockIdx.x * 8 + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (node >= nodes) {
        return;
    }
    const unsigned int from = start[node], to = start[node + 1];
    float2 sum = make_float2(0.0f, 0.0f);
    for (unsigned int e = from; e < to; ++e) {
        const float2 v = __half22float2(feature[neighbour[e] * 32 + lane]);
        sum.x += v.x;
        sum.y += v.y;
    }
    const float scale = 1.0f / (float)(to - from);
    out[node * 32 + lane] = __floats2half2_rn(sum.x * scale, sum.y * scale);
}
