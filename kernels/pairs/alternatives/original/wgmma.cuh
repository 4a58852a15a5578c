#pragma once
__device__ __forceinline__ uint64_t descriptor(uint32_t at) { return (uint64_t)(at >> 4 & 0x3FFF) | 1ull << 16 | 64ull << 32 | 1ull << 62; }
#define EIGHT(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
__device__ __forceinline__ void wgmma_128(float* d, uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
                 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63},"
                 " %64, %65, 1, 1, 1, 0, 0;"
                 : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24), EIGHT(d, 32), EIGHT(d, 40), EIGHT(d, 48), EIGHT(d, 56) : "l"(a), "l"(b));
}
__device__ __forceinline__ void wgmma_32(float* d, uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, 1, 1, 1, 0, 0;"
                 : EIGHT(d, 0), EIGHT(d, 8) : "l"(a), "l"(b));
}

// Products by wgmma, two warpgroups of 64 x 128: COLUMNS to a product, AHEAD stages loaded in front, IN_FLIGHT groups left when a step ends.
// A block takes as many tiles as the grid leaves it, and loads the first stages of the next one while a tile ends.
template <int STAGES, int AHEAD, int IN_FLIGHT, int COLUMNS> __device__ __forceinline__ void product_wgmma(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, float* __restrict__ c, int n, int depth, int tiles) {
    uint32_t base = shared_address(stages);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, steps = depth / 64, across = n / 128;
    int own = (tiles - 1 - (int)blockIdx.x) / (int)gridDim.x + 1, total = own * steps;
    auto load = [&](int turn) {
        if (turn < total) {
            int tile = blockIdx.x + turn / steps * gridDim.x;
            load_stage(a + (size_t)(tile / across) * 128 * depth, b + (size_t)(tile % across) * 128 * depth, depth, turn % steps * 64, base + turn % STAGES * STAGE);
        }
        commit();
    };
    for (int s = 0; s < AHEAD; s++) load(s);
    for (int turn = 0; turn < total;) {
        float acc[64];
#pragma unroll
        for (int i = 0; i < 64; i++) acc[i] = 0;
        for (int k = 0; k < steps; k++, turn++) {
            arrived<AHEAD - 1>();
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
            load(turn + AHEAD);
            uint64_t da = descriptor(base + turn % STAGES * STAGE + warp / 4 * 8192), db = descriptor(base + turn % STAGES * STAGE + STAGE / 2);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int q = 0; q < 4; q++)
                if (COLUMNS == 128) wgmma_128(acc, da + 2 * q, db + 2 * q);
                else
#pragma unroll
                    for (int j = 0; j < 4; j++) wgmma_32(acc + 16 * j, da + 2 * q, db + 2 * q + 256 * j);
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned %0;" ::"n"(IN_FLIGHT) : "memory");
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
        for (int i = 0; i < 64; i++) asm volatile("" : "+f"(acc[i])::"memory");
        int tile = blockIdx.x + (turn / steps - 1) * gridDim.x;
        float* to = c + ((size_t)(tile / across) * 128 + warp * 16 + lane / 4) * n + tile % across * 128 + lane % 4 * 2;
#pragma unroll
        for (int j = 0; j < 16; j++) {
            *(float2*)(to + j * 8) = make_float2(acc[4 * j], acc[4 * j + 1]);
            *(float2*)(to + (size_t)8 * n + j * 8) = make_float2(acc[4 * j + 2], acc[4 * j + 3]);
        }
    }
}
__global__ void __launch_bounds__(256, 2) wgmma_three_stages(OPERANDS, int tiles) { product_wgmma<3, 2, 0, 128>(a, b, c, n, depth, tiles); }
__global__ void __launch_bounds__(256, 2) wgmma_a_tile(OPERANDS, int tiles) { product_wgmma<3, 2, 0, 128>(a, b, c, n, depth, tiles); }
__global__ void __launch_bounds__(256, 2) wgmma_resident(OPERANDS, int tiles) { product_wgmma<3, 2, 0, 128>(a, b, c, n, depth, tiles); }
