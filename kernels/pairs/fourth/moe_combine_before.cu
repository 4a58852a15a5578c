// moe_combine_before: outputs of experts added to their tokens with weights, four slots to a token, a block to a slot, by atomics.
// Slot s holds choice s * 40503 mod 32,768 of the tokens' choices in order (slots: a power of two).
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) moe_combine_before(float* out, const __half2* __restrict__ expert, const float* __restrict__ weight, unsigned slots)
{
    const unsigned choice = blockIdx.x * 40503u & (slots - 1), token = choice / 4;
    const float w = weight[choice];
    const __half2* row = expert + (long long)blockIdx.x * 1024;
    float* to = out + (long long)token * 2048;
#pragma unroll
    for (int i = threadIdx.x; i < 1024; i += 256) {
        const float2 v = __half22float2(row[i]);
        atomicAdd(to + 2 * i, w * v.x);
        atomicAdd(to + 2 * i + 1, w * v.y);
    }
}
