// mma_stages: "Raise occupancy: use less of what limits it (registers)". One stage stays. 112 registers and more of a thread are sums and
// fragments of a warp's 64 x 32: the compiler held to 80 spills; smaller tiles of a warp take less, at more reads of shared memory.
#include "alt.cuh"
#include "original/tensor.cuh"
#include "original/mma.cuh"
#include "mma.cuh"

__global__ void __launch_bounds__(256, 3) mma_bounded(OPERANDS) { product_mma<1>(a, b, c, n, depth); }
__global__ void __launch_bounds__(512, 2) mma_512(OPERANDS) { product_of<1, 128, 128, 32, 32>(a, b, c, n, depth); }
__global__ void __launch_bounds__(256, 3) mma_narrow_3(OPERANDS) { product_of<1, 128, 64, 32, 32>(a, b, c, n, depth); }
__global__ void __launch_bounds__(256, 4) mma_narrow_4(OPERANDS) { product_of<1, 128, 64, 32, 32>(a, b, c, n, depth); }

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 4096, depth = 2048;
    const size_t most = 16u << 20;
    float *x = p.make<float>(most), *y = p.make<float>(most), *c = p.make<float>(most);
    __nv_bfloat16 *a = p.make<__nv_bfloat16>(most), *b = p.make<__nv_bfloat16>(most);
    auto fill = [&](uint32_t s) {
        p.uniform(x, most, s); p.uniform(y, most, s + 10);
        narrowed<<<1024, 256>>>(x, a, most); narrowed<<<1024, 256>>>(y, b, most); CK(cudaGetLastError());
    };
    for (auto kernel : {mma_one_stage, mma_two_stages, mma_bounded, mma_512, mma_narrow_3, mma_narrow_4}) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * STAGE));
    const dim3 grid(n / 128, n / 128), narrow(n / 64, n / 128);
    p.run("mma_stages", c, most, 10, 1e-3f, fill, {
        {"mma_one_stage", "before", [&] { mma_one_stage<<<grid, 256, STAGE>>>(a, b, c, n, depth); }},
        {"mma_two_stages", "made:double-buffer", [&] { mma_two_stages<<<grid, 256, 2 * STAGE>>>(a, b, c, n, depth); }},
        {"mma_bounded", "more-warps", [&] { mma_bounded<<<grid, 256, STAGE>>>(a, b, c, n, depth); }},
        {"mma_512", "more-warps", [&] { mma_512<<<grid, 512, STAGE>>>(a, b, c, n, depth); }},
        {"mma_narrow_3", "more-warps", [&] { mma_narrow_3<<<narrow, 256, 192 * 128>>>(a, b, c, n, depth); }},
        {"mma_narrow_4", "more-warps", [&] { mma_narrow_4<<<narrow, 256, 192 * 128>>>(a, b, c, n, depth); }},
    });
}
