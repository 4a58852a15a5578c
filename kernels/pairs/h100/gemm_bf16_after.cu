// gemm_bf16_after: the same product, a ring of four stages.
#include <cuda_bf16.h>

__device__ __forceinline__ void four_matrices(unsigned (&r)[4], const __nv_bfloat16* p)
{
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(p));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void four_transposed(unsigned (&r)[4], const __nv_bfloat16* p)
{
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(p));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void copy(__nv_bfloat16* to, const __nv_bfloat16* from)
{
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
}

constexpr int STAGES = 4, A_PITCH = 40, B_PITCH = 136, STAGE = 128 * A_PITCH + 32 * B_PITCH;

extern "C" __global__ void __launch_bounds__(256, 2) gemm_bf16_after(__nv_bfloat16* c, const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
                                                                    const float* __restrict__ bias, int n, int k)
{
    extern __shared__ __align__(16) __nv_bfloat16 ring[];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, row = warp / 4 * 64, column = warp % 4 * 32;
    const __nv_bfloat16* ap = a + (long long)(blockIdx.y * 128 + t / 4) * k + t % 4 * 8;
    const __nv_bfloat16* bp = b + (long long)(t / 16) * n + blockIdx.x * 128 + t % 16 * 8;
    const int a_at = t / 4 * A_PITCH + t % 4 * 8, b_at = 128 * A_PITCH + t / 16 * B_PITCH + t % 16 * 8;
    float sum[4][4][4] = {};
    const int steps = k / 32;
    auto fetch = [&](int s) {
        if (s < steps) {
            __nv_bfloat16* to = ring + s % STAGES * STAGE;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                copy(to + a_at + half * 64 * A_PITCH, ap + s * 32 + (long long)half * 64 * k);
                copy(to + b_at + half * 16 * B_PITCH, bp + (long long)(s * 32 + half * 16) * n);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int s = 0; s < STAGES - 1; ++s) {
        fetch(s);
    }
    for (int s = 0; s < steps; ++s) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        fetch(s + STAGES - 1);
        const __nv_bfloat16* as = ring + s % STAGES * STAGE;
        const __nv_bfloat16* bs = as + 128 * A_PITCH;
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            unsigned x[4][4], y[2][4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                four_matrices(x[i], as + (row + i * 16 + lane % 16) * A_PITCH + kk + lane / 16 * 8);
            }
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                four_transposed(y[j], bs + (kk + lane % 16) * B_PITCH + column + j * 16 + lane / 16 * 8);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    multiply(sum[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const int at = blockIdx.x * 128 + column + j * 8 + lane % 4 * 2;
        const float2 add = *reinterpret_cast<const float2*>(bias + at);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            __nv_bfloat16* p = c + (long long)(blockIdx.y * 128 + row + i * 16 + lane / 4) * n + at;
            *reinterpret_cast<__nv_bfloat162*>(p) = __floats2bfloat162_rn(fmaxf(sum[i][j][0] + add.x, 0.0f), fmaxf(sum[i][j][1] + add.y, 0.0f));
            *reinterpret_cast<__nv_bfloat162*>(p + 8 * n) = __floats2bfloat162_rn(fmaxf(sum[i][j][2] + add.x, 0.0f), fmaxf(sum[i][j][3] + add.y, 0.0f));
        }
    }
}
