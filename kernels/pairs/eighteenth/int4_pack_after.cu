// int4_pack_after: weights of a layer in four bits, a scale to each 128 of a row.
#include <cuda_fp16.h>

#define GROUP 128

// Sixteen lanes to a group, eight weights each.
extern "C" __global__ void __launch_bounds__(256) int4_pack_after(unsigned int* __restrict__ packed, half* __restrict__ scale, const half2* __restrict__ weight, int groups)
{
    const int g = blockIdx.x * 16 + threadIdx.x / 16, lane = threadIdx.x % 16;
    if (g >= groups) {
        return;
    }
    const uint4 four = ((const uint4*)(weight + (long long)g * (GROUP / 2)))[lane];
    const half2* from = (const half2*)&four;
    float most = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 v = __half22float2(from[i]);
        most = fmaxf(most, fmaxf(fabsf(v.x), fabsf(v.y)));
    }
#pragma unroll
    for (int d = 8; d > 0; d /= 2) {
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    }
    const float inverse = most > 0.0f ? 7.0f / most : 0.0f;
    if (lane == 0) {
        scale[g] = __float2half_rn(most / 7.0f);
    }
    unsigned int word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float2 v = __half22float2(from[k]);
        word |= (unsigned int)(__float2int_rn(v.x * inverse) + 8) << (8 * k);
        word |= (unsigned int)(__float2int_rn(v.y * inverse) + 8) << (8 * k + 4);
    }
    packed[(long long)g * (GROUP / 8) + lane] = word;
}
