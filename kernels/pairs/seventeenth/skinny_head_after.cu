// skinny_head_after: four tokens times a matrix of weights of 8,192 rows (the last layers of a decoding model).
#include <cuda_fp16.h>

#define TOKENS 4

__device__ __forceinline__ void mma(float* c, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Sixteen rows to a block, an eighth of the depth to a warp; tokens are the columns of the second matrix.
extern "C" __global__ void __launch_bounds__(256) skinny_head_after(float* __restrict__ out, const half* __restrict__ weight, const half* __restrict__ token, int rows, int depth)
{
    __shared__ float part[8][16][TOKENS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int row = blockIdx.x * 16, first = warp * (depth / 8) + t * 8;
    const half* w0 = weight + (long long)(row + g) * depth + first;
    const half* w1 = w0 + 8ll * depth;
    const half* x = token + (long long)(g < TOKENS ? g : 0) * depth + first;
    float c[4] = {};
#pragma unroll 4
    for (int k = 0; k < depth / 8; k += 32) {
        const uint4 a = *(const uint4*)(w0 + k), b = *(const uint4*)(w1 + k), v = *(const uint4*)(x + k);
        mma(c, a.x, b.x, a.y, b.y, v.x, v.y);
        mma(c, a.z, b.z, a.w, b.w, v.z, v.w);
    }
    if (t < TOKENS / 2) {
        part[warp][g][2 * t] = c[0];
        part[warp][g][2 * t + 1] = c[1];
        part[warp][g + 8][2 * t] = c[2];
        part[warp][g + 8][2 * t + 1] = c[3];
    }
    __syncthreads();
    if (threadIdx.x < 16 * TOKENS) {
        const int r = threadIdx.x % 16, n = threadIdx.x / 16;
        float v = 0.0f;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            v += part[k][r][n];
        }
        out[(long long)n * rows + row + r] = v;
    }
}
