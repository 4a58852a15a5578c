// wgmma_tiles: "Reuse data inside the SM: shared memory, registers, clusters". Tiles of 128 x 256 read three quarters of what those of
// 128 x 128 read from L2 for the same outputs, with one block an SM in place of two. The grid stays one block a tile.
#include "alt.cuh"
#include "original/tensor.cuh"
#include "original/wgmma.cuh"

__device__ __forceinline__ void wgmma_256(float* d, uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
                 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,"
                 "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,"
                 "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1, 1, 1, 0, 0;"
                 : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24), EIGHT(d, 32), EIGHT(d, 40), EIGHT(d, 48), EIGHT(d, 56), EIGHT(d, 64), EIGHT(d, 72), EIGHT(d, 80), EIGHT(d, 88), EIGHT(d, 96), EIGHT(d, 104), EIGHT(d, 112), EIGHT(d, 120) : "l"(a), "l"(b));
}
const int WIDE_STAGE = (128 + 256) * 128;
template <int STAGES, int AHEAD, int IN_FLIGHT> __device__ __forceinline__ void product_256(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, float* __restrict__ c, int n, int depth) {
    uint32_t base = shared_address(stages);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, steps = depth / 64, across = n / 256, tile = blockIdx.x;
    a += (size_t)(tile / across) * 128 * depth;
    b += (size_t)(tile % across) * 256 * depth;
    auto load = [&](int k) {
        if (k < steps) {
#pragma unroll
            for (int j = 0; j < 12; j++) {
                int row = threadIdx.x / 8 + 32 * j, chunk = threadIdx.x % 8;
                const __nv_bfloat16* from = j < 4 ? a + (size_t)row * depth : b + (size_t)(row - 128) * depth;
                copy16(base + k % STAGES * WIDE_STAGE + row * 128 + ((chunk ^ (row & 7)) << 4), from + k * 64 + chunk * 8);
            }
        }
        commit();
    };
    for (int s = 0; s < AHEAD; s++) load(s);
    float acc[128];
#pragma unroll
    for (int i = 0; i < 128; i++) acc[i] = 0;
    for (int k = 0; k < steps; k++) {
        arrived<AHEAD - 1>();
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        load(k + AHEAD);
        uint64_t da = descriptor(base + k % STAGES * WIDE_STAGE + warp / 4 * 8192), db = descriptor(base + k % STAGES * WIDE_STAGE + 16384);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int q = 0; q < 4; q++) wgmma_256(acc, da + 2 * q, db + 2 * q);
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned %0;" ::"n"(IN_FLIGHT) : "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < 128; i++) asm volatile("" : "+f"(acc[i])::"memory");
    float* to = c + ((size_t)(tile / across) * 128 + warp * 16 + lane / 4) * n + tile % across * 256 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 32; j++) {
        *(float2*)(to + j * 8) = make_float2(acc[4 * j], acc[4 * j + 1]);
        *(float2*)(to + (size_t)8 * n + j * 8) = make_float2(acc[4 * j + 2], acc[4 * j + 3]);
    }
}
__global__ void __launch_bounds__(256, 1) wgmma_wide(OPERANDS) { product_256<4, 3, 0>(a, b, c, n, depth); }
__global__ void __launch_bounds__(256, 1) wgmma_wide_kept(OPERANDS) { product_256<4, 2, 1>(a, b, c, n, depth); }

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int wide = 8192, shallow = 512;
    const size_t most = 4u << 20;
    float *x = p.make<float>(most), *y = p.make<float>(most), *c = p.make<float>(64u << 20);
    __nv_bfloat16 *a = p.make<__nv_bfloat16>(most), *b = p.make<__nv_bfloat16>(most);
    auto fill = [&](uint32_t s) {
        p.uniform(x, most, s); p.uniform(y, most, s + 10);
        narrowed<<<1024, 256>>>(x, a, most); narrowed<<<1024, 256>>>(y, b, most); CK(cudaGetLastError());
    };
    for (auto kernel : {wgmma_a_tile, wgmma_resident}) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 3 * STAGE));
    for (auto kernel : {wgmma_wide, wgmma_wide_kept}) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * WIDE_STAGE));
    p.run("wgmma_tiles", c, 64u << 20, 10, 1e-3f, fill, {
        {"wgmma_a_tile", "before", [&] { wgmma_a_tile<<<4096, 256, 3 * STAGE>>>(a, b, c, wide, shallow, 4096); }},
        {"wgmma_resident", "made:persistent-blocks", [&] { wgmma_resident<<<264, 256, 3 * STAGE>>>(a, b, c, wide, shallow, 4096); }},
        {"wgmma_wide", "reuse-in-sm", [&] { wgmma_wide<<<2048, 256, 4 * WIDE_STAGE>>>(a, b, c, wide, shallow); }},
        {"wgmma_wide_kept", "reuse-in-sm", [&] { wgmma_wide_kept<<<2048, 256, 4 * WIDE_STAGE>>>(a, b, c, wide, shallow); }},
    });
}
