// expert_gather_before: rows of the tokens copied to the order of their experts and scaled by the weights of the router, before the products of the experts.
#include <cuda_fp16.h>

// A block to a row.
extern "C" __global__ void __launch_bounds__(256) expert_gather_before(half* __restrict__ out, const half* __restrict__ token, const unsigned int* __restrict__ source, const float* __restrict__ weight, int hidden)
{
    const long long row = blockIdx.x;
    const half* from = token + (long long)source[row] * hidden;
    half* to = out + row * hidden;
    const float w = weight[row];
    for (int i = threadIdx.x; i < hidden; i += 256) {
        to[i] = __float2half(__half2float(from[i]) * w);
    }
}
