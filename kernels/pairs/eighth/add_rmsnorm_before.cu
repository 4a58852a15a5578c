// add_rmsnorm_before: a branch added to hidden states of 5,120 in bfloat16 and the sum's RMSNorm, a block to a token.
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

constexpr int Size = 5120, Each = 2, Threads = Size / 8 / Each;

extern "C" __global__ void __launch_bounds__(Threads) add_rmsnorm_before(Eight* __restrict__ out, Eight* __restrict__ sum, const Eight* __restrict__ hidden, const Eight* __restrict__ branch, const Eight* __restrict__ weight, int tokens, float epsilon)
{
    __shared__ float part[Threads / 32];
    const long long at = (long long)blockIdx.x * (Size / 8) + threadIdx.x;
    Eight own[Each];
    float square = 0.0f;
#pragma unroll
    for (int i = 0; i < Each; ++i) {
        own[i] = hidden[at + i * Threads];
        square += own[i].add(branch[at + i * Threads]);
        sum[at + i * Threads] = own[i];
    }
#pragma unroll
    for (int d = 16; d; d /= 2) {
        square += __shfl_xor_sync(~0u, square, d);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = square;
    }
    __syncthreads();
    square = 0.0f;
    for (int w = 0; w < Threads / 32; ++w) {
        square += part[w];
    }
    const float by = rsqrtf(square / Size + epsilon);
#pragma unroll
    for (int i = 0; i < Each; ++i) {
        out[at + i * Threads] = own[i].scaled(by, weight[threadIdx.x + i * Threads]);
    }
}
