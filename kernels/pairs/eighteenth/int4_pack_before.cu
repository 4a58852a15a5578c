// int4_pack_before: weights of a layer in four bits, a scale to each 128 of a row.
#include <cuda_fp16.h>

#define GROUP 128

// A thread to a group.
extern "C" __global__ void __launch_bounds__(256) int4_pack_before(unsigned int* __restrict__ packed, half* __restrict__ scale, const half2* __restrict__ weight, int groups)
{
    const int g = blockIdx.x * 256 + threadIdx.x;
    if (g >= groups) {
        return;
    }
    const half2* from = weight + (long long)g * (GROUP / 2);
    float most = 0.0f;
    for (int i = 0; i < GROUP / 2; ++i) {
        const float2 v = __half22float2(from[i]);
        most = fmaxf(most, fmaxf(fabsf(v.x), fabsf(v.y)));
    }
    const float inverse = most > 0.0f ? 7.0f / most : 0.0f;
    scale[g] = __float2half_rn(most / 7.0f);
    for (int i = 0; i < GROUP / 8; ++i) {
        unsigned int word = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 v = __half22float2(from[i * 4 + k]);
            word |= (unsigned int)(__float2int_rn(v.x * inverse) + 8) << (8 * k);
            word |= (unsigned int)(__float2int_rn(v.y * inverse) + 8) << (8 * k + 4);
        }
        packed[(long long)g * (GROUP / 8) + i] = word;
    }
}
