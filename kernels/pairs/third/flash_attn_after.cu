// flash_attn_after: attention forward, heads of 64, keys in tiles of 64 by cp.async, mma.sync, online softmax, 32 query rows to a warp.
// q, k, v, out: [heads, length, 64].
#include <cuda_fp16.h>

constexpr int M = 2;

__device__ __forceinline__ unsigned shared_at(const __half* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void four_matrices(unsigned (&r)[4], const __half* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_at(p)) : "memory");
}

__device__ __forceinline__ void four_transposed(unsigned (&r)[4], const __half* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_at(p)) : "memory");
}

__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ float exp2_fast(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ unsigned pack(float x, float y)
{
    const __half2 h = __floats2half2_rn(x, y);
    return *reinterpret_cast<const unsigned*>(&h);
}

__device__ __forceinline__ int swizzled(int row, int chunk) { return row * 64 + ((chunk ^ (row & 7)) << 3); }

extern "C" __global__ void __launch_bounds__(128) flash_attn_after(__half* out, const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, int length, float scale)
{
    __shared__ __align__(128) __half ring[2][2][64 * 64];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const long long head = (long long)blockIdx.y * length * 64;
    const int row = blockIdx.x * 64 * M + warp * 16 * M + lane / 4;
    unsigned a[M][4][4];
    float sum[M][8][4] = {}, largest[M][2], total[M][2] = {};
#pragma unroll
    for (int m = 0; m < M; ++m) {
        largest[m][0] = largest[m][1] = -1e30f;
#pragma unroll
        for (int c = 0; c < 4; ++c) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                a[m][c][i] = *reinterpret_cast<const unsigned*>(q + head + (row + m * 16 + i % 2 * 8) * 64 + c * 16 + i / 2 * 8 + lane % 4 * 2);
            }
        }
    }
    auto fetch = [&](int tile) {
        if (tile * 64 < length) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int r = t / 8 + i * 16, c = t % 8;
                const long long from = head + (long long)(tile * 64 + r) * 64 + c * 8;
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_at(&ring[tile & 1][0][swizzled(r, c)])), "l"(k + from) : "memory");
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_at(&ring[tile & 1][1][swizzled(r, c)])), "l"(v + from) : "memory");
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    for (int tile = 0; tile * 64 < length; ++tile) {
        fetch(tile + 1);
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        const __half *ks = ring[tile & 1][0], *vs = ring[tile & 1][1];
        float s[M][8][4] = {};
#pragma unroll
        for (int c = 0; c < 4; ++c) {
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                unsigned b[4];
                four_matrices(b, ks + swizzled(n * 16 + (lane & 7) + (lane >> 4) * 8, c * 2 + (lane >> 3 & 1)));
#pragma unroll
                for (int m = 0; m < M; ++m) {
                    multiply(s[m][n * 2], a[m][c], b[0], b[1]);
                    multiply(s[m][n * 2 + 1], a[m][c], b[2], b[3]);
                }
            }
        }
#pragma unroll
        for (int m = 0; m < M; ++m) {
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                float high = largest[m][h];
#pragma unroll
                for (int n = 0; n < 8; ++n) {
                    high = fmaxf(high, fmaxf(s[m][n][h * 2], s[m][n][h * 2 + 1]));
                }
                high = fmaxf(high, __shfl_xor_sync(~0u, high, 1));
                high = fmaxf(high, __shfl_xor_sync(~0u, high, 2));
                const float keep = exp2_fast((largest[m][h] - high) * scale), shift = high * scale;
                largest[m][h] = high;
                total[m][h] *= keep;
#pragma unroll
                for (int n = 0; n < 8; ++n) {
                    sum[m][n][h * 2] *= keep;
                    sum[m][n][h * 2 + 1] *= keep;
                    s[m][n][h * 2] = exp2_fast(s[m][n][h * 2] * scale - shift);
                    s[m][n][h * 2 + 1] = exp2_fast(s[m][n][h * 2 + 1] * scale - shift);
                    total[m][h] += s[m][n][h * 2] + s[m][n][h * 2 + 1];
                }
            }
        }
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            unsigned p[M][4];
#pragma unroll
            for (int m = 0; m < M; ++m) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    p[m][i] = pack(s[m][c * 2 + i / 2][i % 2 * 2], s[m][c * 2 + i / 2][i % 2 * 2 + 1]);
                }
            }
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                unsigned b[4];
                four_transposed(b, vs + swizzled(c * 16 + lane % 16, n * 2 + lane / 16));
#pragma unroll
                for (int m = 0; m < M; ++m) {
                    multiply(sum[m][n * 2], p[m], b[0], b[1]);
                    multiply(sum[m][n * 2 + 1], p[m], b[2], b[3]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            float all = total[m][h];
            all += __shfl_xor_sync(~0u, all, 1);
            all += __shfl_xor_sync(~0u, all, 2);
            const float inverse = 1.0f / all;
#pragma unroll
            for (int n = 0; n < 8; ++n) {
                *reinterpret_cast<__half2*>(out + head + (row + m * 16 + h * 8) * 64 + n * 8 + lane % 4 * 2) = __floats2half2_rn(sum[m][n][h * 2] * inverse, sum[m][n][h * 2 + 1] * inverse);
            }
        }
    }
}
