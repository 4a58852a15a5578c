// add_rmsnorm_after: a branch added to hidden states of 5,120 in bfloat16 and the sum's RMSNorm, a warp to a token, no barrier.
#include <cuda_bf16.h>

struct Eight {
    uint4 bits;
    __device__ __forceinline__ __nv_bfloat162& pair(int i) { return reinterpret_cast<__nv_bfloat162*>(&bits)[i]; }
    __device__ __forceinline__ const __nv_bfloat162& pair(int i) const { return reinterpret_cast<const __nv_bfloat162*>(&bits)[i]; }
    __device__ __forceinline__ float add(Eight o)
    {
        float square = 0.0f;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 a = __bfloat1622float2(pair(i)), b = __bfloat1622float2(o.pair(i));
            pair(i) = __floats2bfloat162_rn(a.x + b.x, a.y + b.y);
            const float2 s = __bfloat1622float2(pair(i));
            square += s.x * s.x + s.y * s.y;
        }
        return square;
    }
    __device__ __forceinline__ Eight scaled(float by, Eight weight) const
    {
        Eight to;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 a = __bfloat1622float2(pair(i)), w = __bfloat1622float2(weight.pair(i));
            to.pair(i) = __floats2bfloat162_rn(a.x * by * w.x, a.y * by * w.y);
        }
        return to;
    }
};

constexpr int Size = 5120, Each = Size / 8 / 32;

extern "C" __global__ void __launch_bounds__(128) add_rmsnorm_after(Eight* __restrict__ out, Eight* __restrict__ sum, const Eight* __restrict__ hidden, const Eight* __restrict__ branch, const Eight* __restrict__ weight, int tokens, float epsilon)
{
    const int token = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (token >= tokens) {
        return;
    }
    const long long at = (long long)token * (Size / 8) + lane;
    Eight own[Each];
    float square = 0.0f;
#pragma unroll
    for (int i = 0; i < Each; ++i) {
        own[i] = hidden[at + i * 32];
    }
#pragma unroll
    for (int i = 0; i < Each; ++i) {
        square += own[i].add(branch[at + i * 32]);
        sum[at + i * 32] = own[i];
    }
#pragma unroll
    for (int d = 16; d; d /= 2) {
        square += __shfl_xor_sync(~0u, square, d);
    }
    const float by = rsqrtf(square / Size + epsilon);
#pragma unroll
    for (int i = 0; i < Each; ++i) {
        out[at + i * 32] = own[i].scaled(by, weight[lane + i * 32]);
    }
}
