// dot_interact_after: inner products of all pairs of a sample's features, 27 of 64 in FP16, a warp to a sample, by tensor cores, one set of
// registers both operands.
#include <cuda_fp16.h>

__device__ __forceinline__ void multiply(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(256) dot_interact_after(float* __restrict__ out, const __half2* __restrict__ feature, int samples)
{
    constexpr int Features = 27, Size = 64, Pairs = Features * (Features - 1) / 2;
    const int sample = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
    if (sample >= samples) {
        return;
    }
    const uint4* from = reinterpret_cast<const uint4*>(feature + (long long)sample * Features * Size / 2);
    unsigned x[4][8];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int row = 8 * r + g;
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const uint4 v = row < Features ? from[row * Size / 8 + 2 * q + h] : make_uint4(0, 0, 0, 0);
            x[r][4 * h] = v.x, x[r][4 * h + 1] = v.y, x[r][4 * h + 2] = v.z, x[r][4 * h + 3] = v.w;
        }
    }
    float c[2][4][4] = {};
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int j = 0; j < 2 * i + 2; ++j) {
                multiply(c[i][j], x[2 * i][k], x[2 * i + 1][k], x[2 * i][k + 1], x[2 * i + 1][k + 1], x[j][k], x[j][k + 1]);
            }
        }
    }
    float* to = out + (long long)sample * Pairs;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2 * i + 2; ++j) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int row = 16 * i + g + e / 2 * 8, column = 8 * j + 2 * q + e % 2;
                if (row < Features && column < row) {
                    to[row * (row - 1) / 2 + column] = c[i][j][e];
                }
            }
        }
    }
}
