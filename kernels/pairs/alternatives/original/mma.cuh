#pragma once
// Products by mma.sync, eight warps of 64 x 32, with STAGES stages in flight; one stage is loaded and then used.
template <int STAGES> __device__ __forceinline__ void product_mma(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, float* __restrict__ c, int n, int depth) {
    uint32_t base = shared_address(stages);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wr = warp / 4 * 64, wc = warp % 4 * 32, steps = depth / 64;
    a += (size_t)blockIdx.y * 128 * depth;
    b += (size_t)blockIdx.x * 128 * depth;
    float acc[4][4][4] = {};
    for (int s = 0; s < STAGES - 1; s++) { if (s < steps) load_stage(a, b, depth, s * 64, base + s * STAGE); commit(); }
    for (int t = 0; t < steps; t++) {
        if (STAGES == 1) { __syncthreads(); load_stage(a, b, depth, t * 64, base); commit(); }
        arrived<(STAGES > 1 ? STAGES - 2 : 0)>();
        __syncthreads();
        if (STAGES > 1) { int next = t + STAGES - 1; if (next < steps) load_stage(a, b, depth, next * 64, base + next % STAGES * STAGE); commit(); }
        uint32_t at = base + t % STAGES * STAGE;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t fa[4][4], fb[4][2];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                int row = wr + i * 16 + lane % 16, chunk = k * 2 + lane / 16;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"(at + row * 128 + ((chunk ^ (row & 7)) << 4)));
            }
#pragma unroll
            for (int j = 0; j < 4; j += 2) {
                int row = wc + j * 8 + lane / 16 * 8 + lane % 8, chunk = k * 2 + lane / 8 % 2;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j + 1][0]), "=r"(fb[j + 1][1]) : "r"(at + STAGE / 2 + row * 128 + ((chunk ^ (row & 7)) << 4)));
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
    }
    float* to = c + ((size_t)blockIdx.y * 128 + wr + lane / 4) * n + blockIdx.x * 128 + wc + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            *(float2*)(to + (size_t)i * 16 * n + j * 8) = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2*)(to + (size_t)(i * 16 + 8) * n + j * 8) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}
__global__ void __launch_bounds__(256, 2) mma_one_stage(OPERANDS) { product_mma<1>(a, b, c, n, depth); }
__global__ void __launch_bounds__(256, 2) mma_two_stages(OPERANDS) { product_mma<2>(a, b, c, n, depth); }
__global__ void __launch_bounds__(256, 2) mma_three_stages(OPERANDS) { product_mma<3>(a, b, c, n, depth); }
