// A product by mma.sync as in original/tensor.cuh, with the tile of a block, ROWS x COLUMNS, and that of a warp, WR x WC, to choose.
#pragma once
template <int ROWS, int COLUMNS, int THREADS> __device__ __forceinline__ void load_tile(const __nv_bfloat16* a, const __nv_bfloat16* b, int depth, int k, uint32_t to) {
#pragma unroll
    for (int j = 0; j < (ROWS + COLUMNS) * 8 / THREADS; j++) {
        int row = threadIdx.x / 8 + THREADS / 8 * j, chunk = threadIdx.x % 8;
        const __nv_bfloat16* from = row < ROWS ? a + (size_t)row * depth : b + (size_t)(row - ROWS) * depth;
        copy16(to + row * 128 + ((chunk ^ (row & 7)) << 4), from + k + chunk * 8);
    }
}
template <int STAGES, int ROWS, int COLUMNS, int WR, int WC> __device__ __forceinline__ void product_of(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, float* __restrict__ c, int n, int depth) {
    constexpr int ACROSS = COLUMNS / WC, THREADS = ROWS / WR * ACROSS * 32, I = WR / 16, J = WC / 8, BYTES = (ROWS + COLUMNS) * 128;
    uint32_t base = shared_address(stages);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wr = warp / ACROSS * WR, wc = warp % ACROSS * WC, steps = depth / 64;
    a += (size_t)blockIdx.y * ROWS * depth;
    b += (size_t)blockIdx.x * COLUMNS * depth;
    float acc[I][J][4] = {};
    for (int s = 0; s < STAGES - 1; s++) { if (s < steps) load_tile<ROWS, COLUMNS, THREADS>(a, b, depth, s * 64, base + s * BYTES); commit(); }
    for (int t = 0; t < steps; t++) {
        if (STAGES == 1) { __syncthreads(); load_tile<ROWS, COLUMNS, THREADS>(a, b, depth, t * 64, base); commit(); }
        arrived<(STAGES > 1 ? STAGES - 2 : 0)>();
        __syncthreads();
        if (STAGES > 1) { int next = t + STAGES - 1; if (next < steps) load_tile<ROWS, COLUMNS, THREADS>(a, b, depth, next * 64, base + next % STAGES * BYTES); commit(); }
        uint32_t at = base + t % STAGES * BYTES;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t fa[I][4], fb[J][2];
#pragma unroll
            for (int i = 0; i < I; i++) {
                int row = wr + i * 16 + lane % 16, chunk = k * 2 + lane / 16;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"(at + row * 128 + ((chunk ^ (row & 7)) << 4)));
            }
#pragma unroll
            for (int j = 0; j < J; j += 2) {
                int row = wc + j * 8 + lane / 16 * 8 + lane % 8, chunk = k * 2 + lane / 8 % 2;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j + 1][0]), "=r"(fb[j + 1][1]) : "r"(at + ROWS * 128 + row * 128 + ((chunk ^ (row & 7)) << 4)));
            }
#pragma unroll
            for (int i = 0; i < I; i++)
#pragma unroll
                for (int j = 0; j < J; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
    }
    float* to = c + ((size_t)blockIdx.y * ROWS + wr + lane / 4) * n + blockIdx.x * COLUMNS + wc + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < I; i++)
#pragma unroll
        for (int j = 0; j < J; j++) {
            *(float2*)(to + (size_t)i * 16 * n + j * 8) = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2*)(to + (size_t)(i * 16 + 8) * n + j * 8) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}
