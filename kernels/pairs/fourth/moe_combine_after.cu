// moe_combine_after: outputs of experts added to their tokens with weights, four slots to a token, a block to a token, which gathers its slots.
// Slot s holds choice s * 40503 mod 32,768 of the tokens' choices in order; 30599 is the inverse.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) moe_combine_after(float* out, const __half2* __restrict__ expert, const float* __restrict__ weight, unsigned slots)
{
    const unsigned token = blockIdx.x;
    float sum[8] = {};
#pragma unroll
    for (unsigned c = 0; c < 4; ++c) {
        const unsigned choice = token * 4 + c, slot = choice * 30599u & (slots - 1);
        const float w = weight[choice];
        const uint4 part = reinterpret_cast<const uint4*>(expert + (long long)slot * 1024)[threadIdx.x];
        const unsigned words[4] = {part.x, part.y, part.z, part.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 v = __half22float2(*reinterpret_cast<const __half2*>(&words[i]));
            sum[2 * i] += w * v.x;
            sum[2 * i + 1] += w * v.y;
        }
    }
    float4* to = reinterpret_cast<float4*>(out + (long long)token * 2048) + threadIdx.x * 2;
    to[0] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    to[1] = make_float4(sum[4], sum[5], sum[6], sum[7]);
}
