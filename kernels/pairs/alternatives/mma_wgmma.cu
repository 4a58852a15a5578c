// mma_wgmma: "Fewer and wider accesses: reuse values in registers, 16 bytes a lane". Reads are 16 bytes a lane by ldmatrix.x4 already;
// a warp's tile of 64 x 64 in place of 64 x 32 takes two thirds of the bytes for the same products. Three stages stay.
#include "alt.cuh"
#include "original/tensor.cuh"
#include "original/mma.cuh"
#include "original/wgmma.cuh"
#include "mma.cuh"

__global__ void __launch_bounds__(128, 2) mma_64_square(OPERANDS) { product_of<3, 128, 128, 64, 64>(a, b, c, n, depth); }
__global__ void __launch_bounds__(256, 1) mma_64_wide(OPERANDS) { product_of<3, 128, 256, 64, 64>(a, b, c, n, depth); }
__global__ void __launch_bounds__(256, 1) mma_64_tall(OPERANDS) { product_of<3, 256, 128, 64, 64>(a, b, c, n, depth); }

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
    const int large = 3 * 384 * 128;
    CK(cudaFuncSetAttribute(mma_three_stages, cudaFuncAttributeMaxDynamicSharedMemorySize, 3 * STAGE));
    CK(cudaFuncSetAttribute(wgmma_three_stages, cudaFuncAttributeMaxDynamicSharedMemorySize, 3 * STAGE));
    CK(cudaFuncSetAttribute(mma_64_square, cudaFuncAttributeMaxDynamicSharedMemorySize, 3 * STAGE));
    for (auto kernel : {mma_64_wide, mma_64_tall}) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, large));
    const dim3 grid(n / 128, n / 128);
    const int tiles = n / 128 * (n / 128);
    p.run("mma_wgmma", c, most, 10, 1e-3f, fill, {
        {"mma_three_stages", "before", [&] { mma_three_stages<<<grid, 256, 3 * STAGE>>>(a, b, c, n, depth); }},
        {"wgmma_three_stages", "made:tensor-generation", [&] { wgmma_three_stages<<<tiles, 256, 3 * STAGE>>>(a, b, c, n, depth, tiles); }},
        {"mma_64_square", "reuse-in-sm", [&] { mma_64_square<<<grid, 128, 3 * STAGE>>>(a, b, c, n, depth); }},
        {"mma_64_wide", "reuse-in-sm", [&] { mma_64_wide<<<dim3(n / 256, n / 128), 256, large>>>(a, b, c, n, depth); }},
        {"mma_64_tall", "reuse-in-sm", [&] { mma_64_tall<<<dim3(n / 128, n / 256), 256, large>>>(a, b, c, n, depth); }},
    });
}
