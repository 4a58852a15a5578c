// mma_i8_after: the same product, chunks of a row of a tile swizzled by exclusive or with the row.
__device__ __forceinline__ void four_matrices(unsigned (&r)[4], unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void multiply(int (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Place of a chunk of 16 bytes in a tile of rows of 64 bytes: eight rows of a chunk lie in different banks.
__device__ __forceinline__ int place(int row, int chunk)
{
    return row * 64 + (chunk ^ row / 2 % 4) * 16;
}

extern "C" __global__ void __launch_bounds__(256) mma_i8_after(int* c, const signed char* __restrict__ a, const signed char* __restrict__ b, int n, int k)
{
    constexpr int STAGES = 3, STAGE = 2 * 128 * 64;
    __shared__ __align__(128) signed char ring[STAGES * STAGE];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, row = warp / 4 * 64, column = warp % 4 * 32;
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(ring));
    const signed char* ap = a + (long long)(blockIdx.y * 128 + t / 4) * k + t % 4 * 16;
    const signed char* bp = b + (long long)(blockIdx.x * 128 + t / 4) * k + t % 4 * 16;
    int sum[4][4][4] = {};
    const int steps = k / 64;
    auto fetch = [&](int s) {
        if (s < steps) {
            const unsigned to = base + s % STAGES * STAGE;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + place(half * 64 + t / 4, t % 4)), "l"(ap + s * 64 + (long long)half * 64 * k) : "memory");
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + place(128 + half * 64 + t / 4, t % 4)), "l"(bp + s * 64 + (long long)half * 64 * k) : "memory");
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
        const unsigned stage = base + s % STAGES * STAGE;
#pragma unroll
        for (int kk = 0; kk < 2; ++kk) {
            unsigned x[4][4], y[2][4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                four_matrices(x[i], stage + place(row + i * 16 + lane % 16, kk * 2 + lane / 16));
            }
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                four_matrices(y[j], stage + place(128 + column + j * 16 + lane % 16, kk * 2 + lane / 16));
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    multiply(sum[i][j], x[i], y[j / 2][j % 2], y[j / 2][j % 2 + 2]);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int* p = c + (long long)(blockIdx.y * 128 + row + i * 16 + lane / 4) * n + blockIdx.x * 128 + column + j * 8 + lane % 4 * 2;
            *reinterpret_cast<int2*>(p) = make_int2(sum[i][j][0], sum[i][j][1]);
            *reinterpret_cast<int2*>(p + 8 * n) = make_int2(sum[i][j][2], sum[i][j][3]);
        }
    }
}
