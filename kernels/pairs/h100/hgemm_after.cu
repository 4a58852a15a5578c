// hgemm_after: the same product, tiles by cp.async into a ring of four stages.
#include <cuda_fp16.h>

__device__ __forceinline__ void four_matrices(unsigned (&r)[4], const __half* p)
{
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(p));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

constexpr int PITCH = 40;            // halves in a row of a tile: 32 and 8 of padding

__device__ __forceinline__ void step(float (&sum)[4][4][4], const __half* as, const __half* bs, int row, int column, int lane)
{
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
        unsigned a[4][4], b[2][4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            four_matrices(a[i], as + (row + i * 16 + lane % 16) * PITCH + kk + lane / 16 * 8);
        }
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            four_matrices(b[j], bs + (column + j * 16 + lane % 16) * PITCH + kk + lane / 16 * 8);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                multiply(sum[i][j], a[i], b[j / 2][j % 2], b[j / 2][j % 2 + 2]);
            }
        }
    }
}

__device__ __forceinline__ void copy(__half* to, const __half* from)
{
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
}

__global__ void __launch_bounds__(256) hgemm_after(__half* c, const __half* __restrict__ a, const __half* __restrict__ b, int n, int k)
{
    constexpr int STAGES = 4, STAGE = 2 * 128 * PITCH;
    extern __shared__ __align__(16) __half ring[];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, row = warp / 4 * 64, column = warp % 4 * 32;
    const __half* ap = a + (long long)(blockIdx.y * 128 + t / 4) * k + t % 4 * 8;
    const __half* bp = b + (long long)(blockIdx.x * 128 + t / 4) * k + t % 4 * 8;
    const int at = t / 4 * PITCH + t % 4 * 8;
    float sum[4][4][4] = {};
    const int steps = k / 32;
    auto fetch = [&](int s) {
        if (s < steps) {
            __half* to = ring + s % STAGES * STAGE + at;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                copy(to + half * 64 * PITCH, ap + s * 32 + (long long)half * 64 * k);
                copy(to + (128 + half * 64) * PITCH, bp + s * 32 + (long long)half * 64 * k);
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
        const __half* stage = ring + s % STAGES * STAGE;
        step(sum, stage, stage + 128 * PITCH, row, column, lane);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            __half* p = c + (long long)(blockIdx.y * 128 + row + i * 16 + lane / 4) * n + blockIdx.x * 128 + column + j * 8 + lane % 4 * 2;
            *reinterpret_cast<__half2*>(p) = __floats2half2_rn(sum[i][j][0], sum[i][j][1]);
            *reinterpret_cast<__half2*>(p + 8 * n) = __floats2half2_rn(sum[i][j][2], sum[i][j][3]);
        }
    }
}
