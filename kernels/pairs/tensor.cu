// Pairs on matrix products: the tensor cores' pipeline, its operands and its ends, and a product in FP32. Stated in stated.toml before they were measured.
#include "pair.cuh"
#include <cuda_bf16.h>

__device__ __forceinline__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy16(uint32_t to, const void* from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory"); }
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT> __device__ __forceinline__ void arrived() { asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory"); }

// Tiles of 128 rows of A and of B, 64 BF16 of each, with the 128-byte swizzle of wgmma: chunk c of row r lies at c ^ r % 8.
const int STAGE = 2 * 128 * 64 * 2;
extern __shared__ __align__(1024) uint8_t stages[];
__device__ __forceinline__ void load_stage(const __nv_bfloat16* a, const __nv_bfloat16* b, int depth, int k, uint32_t to) {
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int row = threadIdx.x / 8 + 32 * (j % 4), chunk = threadIdx.x % 8;
        copy16(to + (j / 4) * (STAGE / 2) + row * 128 + ((chunk ^ (row & 7)) << 4), (j / 4 ? b : a) + (size_t)row * depth + k + chunk * 8);
    }
}

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

#define OPERANDS const __nv_bfloat16 *__restrict__ a, const __nv_bfloat16 *__restrict__ b, float *__restrict__ c, int n, int depth
__global__ void __launch_bounds__(256, 2) mma_one_stage(OPERANDS) { product_mma<1>(a, b, c, n, depth); }
__global__ void __launch_bounds__(256, 2) mma_two_stages(OPERANDS) { product_mma<2>(a, b, c, n, depth); }
__global__ void __launch_bounds__(256, 2) mma_three_stages(OPERANDS) { product_mma<3>(a, b, c, n, depth); }
__global__ void __launch_bounds__(256, 2) wgmma_three_stages(OPERANDS, int tiles) { product_wgmma<3, 2, 0, 128>(a, b, c, n, depth, tiles); }
__global__ void __launch_bounds__(256, 2) wgmma_narrow(OPERANDS, int tiles) { product_wgmma<3, 2, 0, 32>(a, b, c, n, depth, tiles); }
__global__ void __launch_bounds__(256, 1) wgmma_drained(OPERANDS, int tiles) { product_wgmma<4, 2, 0, 128>(a, b, c, n, depth, tiles); }
__global__ void __launch_bounds__(256, 1) wgmma_kept(OPERANDS, int tiles) { product_wgmma<4, 2, 1, 128>(a, b, c, n, depth, tiles); }
__global__ void __launch_bounds__(256, 2) wgmma_a_tile(OPERANDS, int tiles) { product_wgmma<3, 2, 0, 128>(a, b, c, n, depth, tiles); }
__global__ void __launch_bounds__(256, 2) wgmma_resident(OPERANDS, int tiles) { product_wgmma<3, 2, 0, 128>(a, b, c, n, depth, tiles); }

// A product in FP32, tiles of 64 x 64 x 16 by cp.async and 4 x 4 outputs a thread: two stages, then four.
template <int STAGES> __device__ __forceinline__ void product_fp32(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ __align__(16) float sa[STAGES][64][20], sb[STAGES][16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, steps = n / 16;
    auto load = [&](int k) {
        if (k < steps) {
            copy16(shared_address(&sa[k % STAGES][t / 4][t % 4 * 4]), a + (size_t)(blockIdx.y * 64 + t / 4) * n + k * 16 + t % 4 * 4);
            copy16(shared_address(&sb[k % STAGES][ty][tx * 4]), b + (size_t)(k * 16 + ty) * n + blockIdx.x * 64 + tx * 4);
        }
        commit();
    };
    float acc[4][4] = {};
    for (int s = 0; s < STAGES - 1; s++) load(s);
    for (int k = 0; k < steps; k++) {
        arrived<STAGES - 2>();
        __syncthreads();
        load(k + STAGES - 1);
#pragma unroll
        for (int e = 0; e < 16; e++) {
            float4 v = *(const float4*)&sb[k % STAGES][e][tx * 4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float u = sa[k % STAGES][ty * 4 + i][e];
                acc[i][0] += u * v.x; acc[i][1] += u * v.y; acc[i][2] += u * v.z; acc[i][3] += u * v.w;
            }
        }
    }
    for (int i = 0; i < 4; i++) *(float4*)&c[(size_t)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
__global__ void __launch_bounds__(256) fp32_two_stages(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) { product_fp32<2>(a, b, c, n); }
__global__ void __launch_bounds__(256) fp32_four_stages(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) { product_fp32<4>(a, b, c, n); }

__global__ void narrowed(const float* __restrict__ x, __nv_bfloat16* __restrict__ y, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) y[i] = __float2bfloat16(x[i]);
}

int main(int argc, char** argv) {
    Pairs p(argc, argv);
    const int n = 4096;
    const size_t most = 16u << 20;
    float *x = p.make<float>(most), *y = p.make<float>(most), *c = p.make<float>(64u << 20);
    __nv_bfloat16 *a = p.make<__nv_bfloat16>(most), *b = p.make<__nv_bfloat16>(most);
    auto fill = [&](uint32_t s) {
        p.uniform(x, most, s); p.uniform(y, most, s + 10);
        narrowed<<<1024, 256>>>(x, a, most); narrowed<<<1024, 256>>>(y, b, most); CK(cudaGetLastError());
    };
    for (auto kernel : {mma_one_stage, mma_two_stages, mma_three_stages}) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * STAGE));
    for (auto kernel : {wgmma_three_stages, wgmma_narrow, wgmma_drained, wgmma_kept, wgmma_a_tile, wgmma_resident}) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * STAGE));
    const dim3 grid(n / 128, n / 128);
    const int tiles = n / 128 * (n / 128), depth = 2048, wide = 8192, shallow = 512;
    p.run("mma_stages", c, most, 10, fill, [&] { mma_one_stage<<<grid, 256, STAGE>>>(a, b, c, n, depth); }, [&] { mma_two_stages<<<grid, 256, 2 * STAGE>>>(a, b, c, n, depth); });
    p.run("mma_wgmma", c, most, 10, fill, [&] { mma_three_stages<<<grid, 256, 3 * STAGE>>>(a, b, c, n, depth); }, [&] { wgmma_three_stages<<<tiles, 256, 3 * STAGE>>>(a, b, c, n, depth, tiles); });
    p.run("wgmma_columns", c, most, 10, fill, [&] { wgmma_narrow<<<tiles, 256, 3 * STAGE>>>(a, b, c, n, depth, tiles); }, [&] { wgmma_three_stages<<<tiles, 256, 3 * STAGE>>>(a, b, c, n, depth, tiles); });
    p.run("wgmma_wait", c, most, 10, fill, [&] { wgmma_drained<<<tiles, 256, 4 * STAGE>>>(a, b, c, n, depth, tiles); }, [&] { wgmma_kept<<<tiles, 256, 4 * STAGE>>>(a, b, c, n, depth, tiles); });
    p.run("wgmma_tiles", c, 64u << 20, 10, fill, [&] { wgmma_a_tile<<<4096, 256, 3 * STAGE>>>(a, b, c, wide, shallow, 4096); }, [&] { wgmma_resident<<<264, 256, 3 * STAGE>>>(a, b, c, wide, shallow, 4096); });
    p.run("fp32_stages", c, 4u << 20, 10, fill, [&] { fp32_two_stages<<<dim3(32, 32), 256>>>(x, y, c, 2048); }, [&] { fp32_four_stages<<<dim3(32, 32), 256>>>(x, y, c, 2048); });
}
