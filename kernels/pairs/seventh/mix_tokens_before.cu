// mix_tokens_before: product of FP16 matrices, both along rows, by tensor cores, tiles of 128 x 128 x 32, a warp to 64 x 32, operands of the
// second matrix read from shared memory by halves.
#include <cuda_fp16.h>

constexpr int Tile = 128, Deep = 32, PitchA = 40, PitchB = 136;

struct Operands {
    unsigned a[4][4], b[4][2];
    __device__ __forceinline__ void load(const __half* left, const __half* right, int top, int side, int k, int lane)
    {
        const int g = lane / 4, q = lane % 4;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const __half* row = left + (top + 16 * i + g) * PitchA + k + 2 * q;
            a[i][0] = *reinterpret_cast<const unsigned*>(row);
            a[i][1] = *reinterpret_cast<const unsigned*>(row + 8 * PitchA);
            a[i][2] = *reinterpret_cast<const unsigned*>(row + 8);
            a[i][3] = *reinterpret_cast<const unsigned*>(row + 8 * PitchA + 8);
            const unsigned short* column = reinterpret_cast<const unsigned short*>(right) + (k + 2 * q) * PitchB + side + 8 * i + g;
            b[i][0] = column[0] | (unsigned)column[PitchB] << 16;
            b[i][1] = column[8 * PitchB] | (unsigned)column[9 * PitchB] << 16;
        }
    }
};

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(256, 2) mix_tokens_before(__half* __restrict__ out, const __half* __restrict__ x, const __half* __restrict__ mixer, int depth, int width)
{
    __shared__ __align__(16) __half left[Tile * PitchA], right[Deep * PitchB];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, top = warp / 4 * 64, side = warp % 4 * 32;
    const __half *from = x + ((long long)blockIdx.y * Tile + t / 4) * depth + t % 4 * 8, *with = mixer + (long long)(t / 16) * width + blockIdx.x * Tile + t % 16 * 8;
    float c[4][4][4] = {};
    uint4 p[2], r[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        p[i] = *reinterpret_cast<const uint4*>(from + 64ll * i * depth);
        r[i] = *reinterpret_cast<const uint4*>(with + 16ll * i * width);
    }
    for (int k0 = 0; k0 < depth; k0 += Deep) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            *reinterpret_cast<uint4*>(left + (t / 4 + 64 * i) * PitchA + t % 4 * 8) = p[i];
            *reinterpret_cast<uint4*>(right + (t / 16 + 16 * i) * PitchB + t % 16 * 8) = r[i];
        }
        __syncthreads();
        if (k0 + Deep < depth) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                p[i] = *reinterpret_cast<const uint4*>(from + 64ll * i * depth + k0 + Deep);
                r[i] = *reinterpret_cast<const uint4*>(with + (16ll * i + k0 + Deep) * width);
            }
        }
#pragma unroll
        for (int k = 0; k < Deep; k += 16) {
            Operands o;
            o.load(left, right, top, side, k, lane);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    multiply(c[i][j], o.a[i], o.b[j]);
                }
            }
        }
        __syncthreads();
    }
    const int g = lane / 4, q = lane % 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            __half* to = out + ((long long)blockIdx.y * Tile + top + 16 * i + g) * width + blockIdx.x * Tile + side + 8 * j + 2 * q;
            *reinterpret_cast<__half2*>(to) = __floats2half2_rn(c[i][j][0], c[i][j][1]);
            *reinterpret_cast<__half2*>(to + 8ll * width) = __floats2half2_rn(c[i][j][2], c[i][j][3]);
        }
    }
}
