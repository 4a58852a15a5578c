// walk: "Raise occupancy: use less of what limits it (shared memory)". All threads of a block read all of the table, 120,000 bytes that
// cannot shrink, and 144 blocks are all there are: warps come from more threads to a block, over the same table; or the table
// stays in the caches, which frees shared memory but brings no block more.
#include "alt.cuh"
#include "original/walk.cuh"

template <int THREADS> __global__ void __launch_bounds__(THREADS) walk_block(const float* __restrict__ x, float* __restrict__ out, int items) {
    for (int k = threadIdx.x; k < 30000; k += THREADS) table[k] = x[k];
    __syncthreads();
    int per = items / gridDim.x;
    for (int i = blockIdx.x * per + threadIdx.x; i < (blockIdx.x + 1) * per; i += THREADS) {
        float v = x[i];
        for (int k = 0; k < 64; k++) v = v * 0.9f + table[(int)(fabsf(v) * 977.0f + k) % 30000];
        out[i] = v;
    }
}
__global__ void __launch_bounds__(256) walk_cached(const float* __restrict__ x, float* __restrict__ out, int items) {
    int per = items / gridDim.x;
    for (int i = blockIdx.x * per + threadIdx.x; i < (blockIdx.x + 1) * per; i += 256) {
        float v = x[i];
        for (int k = 0; k < 64; k++) v = v * 0.9f + x[(int)(fabsf(v) * 977.0f + k) % 30000];
        out[i] = v;
    }
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int items = 132 * 12 * 256 * 4, bytes = 120000;
    float *x = p.make<float>(items), *out = p.make<float>(items);
    for (auto kernel : {walk_144, walk_132, walk_block<512>, walk_block<768>, walk_block<1024>}) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    p.run("walk", out, items, 1, 1e-5f, [&](uint32_t s) { p.uniform(x, items, s); }, {
        {"walk_144", "before", [&] { walk_144<<<144, 256, bytes>>>(x, out, items); }},
        {"walk_132", "made:whole-waves", [&] { walk_132<<<132, 256, bytes>>>(x, out, items); }},
        {"walk_block_512", "more-warps", [&] { walk_block<512><<<144, 512, bytes>>>(x, out, items); }},
        {"walk_block_1024", "more-warps", [&] { walk_block<1024><<<144, 1024, bytes>>>(x, out, items); }},
        {"walk_cached", "more-warps", [&] { walk_cached<<<144, 256>>>(x, out, items); }},
        {"walk_cached_1056", "more-warps+more-blocks", [&] { walk_cached<<<1056, 256>>>(x, out, items); }},
    });
}
