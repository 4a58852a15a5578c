// dot_interact_before: inner products of all pairs of a sample's features, 27 of 64 in FP16, a block to a sample, a pair a thread.
#include <cuda_fp16.h>

template <int Features, int Size> struct Sample {
    float cell[Features][Size + 1];
    __device__ __forceinline__ float product(int i, int j) const
    {
        float sum = 0.0f;
#pragma unroll 16
        for (int k = 0; k < Size; ++k) {
            sum += cell[i][k] * cell[j][k];
        }
        return sum;
    }
};

extern "C" __global__ void __launch_bounds__(128) dot_interact_before(float* __restrict__ out, const __half2* __restrict__ feature, int samples)
{
    constexpr int Features = 27, Size = 64, Pairs = Features * (Features - 1) / 2;
    __shared__ Sample<Features, Size> sample;
    const __half2* from = feature + (long long)blockIdx.x * Features * Size / 2;
    for (int i = threadIdx.x; i < Features * Size / 2; i += 128) {
        const float2 v = __half22float2(from[i]);
        sample.cell[i / (Size / 2)][i % (Size / 2) * 2] = v.x;
        sample.cell[i / (Size / 2)][i % (Size / 2) * 2 + 1] = v.y;
    }
    __syncthreads();
    for (int p = threadIdx.x; p < Pairs; p += 128) {
        int i = (int)((1.0f + sqrtf(1.0f + 8.0f * p)) * 0.5f);
        i -= i * (i - 1) / 2 > p;
        out[(long long)blockIdx.x * Pairs + p] = sample.product(i, p - i * (i - 1) / 2);
    }
}
