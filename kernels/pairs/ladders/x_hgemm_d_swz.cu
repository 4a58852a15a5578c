// hgemm_d: C = A · B of half, padded tiles of 128 × 256, 32 deep, in four stages that cp.async fills; a warp 64 × 64 by ldmatrix and mma.m16n8k16.
#include <cuda_fp16.h>
constexpr int STAGES = 4, PA = 32, PB = 256;
__device__ __forceinline__ void copy16(unsigned to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}
extern "C" __global__ void __launch_bounds__(256, 1) x_hgemm_d_swz(float* __restrict__ c, const __half* __restrict__ a, const __half* __restrict__ b, int n)
{
    extern __shared__ __align__(128) __half shared[];
    const unsigned base_a = __cvta_generic_to_shared(shared), base_b = base_a + STAGES * 128 * PA * 2;
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wr = warp / 4 * 64, wc = warp % 4 * 64;
    const __half* pa = a + (long long)blockIdx.y * 128 * n;
    const __half* pb = b + blockIdx.x * 256;
    float sum[4][8][4] = {};
    auto copy = [&](int t) {
        if (t < n) {
            const int s = t / 32 % STAGES;
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int p = tid + i * 256;
                copy16(base_a + (s * 128 * PA + p / 4 * PA + (p % 4 ^ p / 8 % 4) * 8) * 2, pa + (long long)(p / 4) * n + t + p % 4 * 8);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int p = tid + i * 256;
                copy16(base_b + (s * 32 * PB + p / 32 * PB + (p % 32 ^ p / 32 % 8) * 8) * 2, pb + (long long)(t + p / 32) * n + p % 32 * 8);
            }
        }
        asm volatile("cp.async.commit_group;");
    };
    for (int s = 0; s < STAGES - 1; ++s) {
        copy(s * 32);
    }
    for (int t = 0; t < n; t += 32) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        copy(t + (STAGES - 1) * 32);
        const int s = t / 32 % STAGES;
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned fa[4][4], fb[8][2];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const unsigned at = base_a + (s * 128 * PA + (wr + i * 16 + lane % 16) * PA + ((k / 8 + lane / 16) ^ lane / 2 % 4) * 8) * 2;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"(at) : "memory");
            }
#pragma unroll
            for (int j = 0; j < 8; j += 2) {
                const unsigned at = base_b + (s * 32 * PB + (k + lane % 16) * PB + ((wc / 8 + j + lane / 16) ^ lane % 8) * 8) * 2;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j + 1][0]), "=r"(fb[j + 1][1]) : "r"(at) : "memory");
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    float* d = sum[i][j];
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            float* pc = c + (long long)(blockIdx.y * 128 + wr + i * 16 + lane / 4) * n + blockIdx.x * 256 + wc + j * 8 + lane % 4 * 2;
            *reinterpret_cast<float2*>(pc) = make_float2(sum[i][j][0], sum[i][j][1]);
            *reinterpret_cast<float2*>(pc + 8ll * n) = make_float2(sum[i][j][2], sum[i][j][3]);
        }
    }
}
