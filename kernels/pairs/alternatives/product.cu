// product: "Fill the last wave: smaller tail tiles, or a split of the reduction". 4,096 blocks of 8 rows are 5.17 waves.
#include "alt.cuh"
#include "original/product.cuh"

// PARTS warps a row, which add up in shared memory: units of work of 1 / PARTS, on 792 blocks of 8 warps or on as many as there are rows.
__device__ __forceinline__ float part_of_row(const int4* __restrict__ q, const float4* __restrict__ x, size_t row, int from, int to) {
    int lane = threadIdx.x % 32;
    float s = 0;
#pragma unroll 2
    for (int k = from; k < to; k++) {
        int4 w = q[row * 256 + k * 32 + lane];
        int words[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float4 v = x[(k * 4 + j) * 32 + lane];
            float f[4];
#pragma unroll
            for (int e = 0; e < 4; e++) f[e] = (float)(signed char)(words[j] >> 8 * e);
            s += f[0] * v.x + f[1] * v.y + f[2] * v.z + f[3] * v.w;
        }
    }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    return s;
}
template <int THREADS> __global__ void __launch_bounds__(THREADS) product_blocks(const int4* __restrict__ q, const float4* __restrict__ x, float* __restrict__ out) {
    size_t row = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    float s = part_of_row(q, x, row, 0, 8);
    if (threadIdx.x % 32 == 0) out[row] = s;
}
// Resident blocks, each with a range of rows that differs from the others' by at most one.
__global__ void __launch_bounds__(256) product_even(const int4* __restrict__ q, const float4* __restrict__ x, float* __restrict__ out, int rows) {
    int warps = gridDim.x * 8, warp = blockIdx.x * 8 + threadIdx.x / 32;
    for (int row = (int)((long long)rows * warp / warps), to = (int)((long long)rows * (warp + 1) / warps); row < to; row++) {
        float s = part_of_row(q, x, row, 0, 8);
        if (threadIdx.x % 32 == 0) out[row] = s;
    }
}
// Split of the reduction: halves of rows, the parts of which meet in an atomic.
__global__ void __launch_bounds__(256) product_halves(const int4* __restrict__ q, const float4* __restrict__ x, float* __restrict__ out, int rows) {
    int warps = gridDim.x * 8, warp = blockIdx.x * 8 + threadIdx.x / 32;
    for (int unit = (int)(2ll * rows * warp / warps), to = (int)(2ll * rows * (warp + 1) / warps); unit < to; unit++) {
        float s = part_of_row(q, x, unit / 2, unit % 2 * 4, unit % 2 * 4 + 4);
        if (threadIdx.x % 32 == 0) atomicAdd(&out[unit / 2], s);
    }
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int rows = 32768;
    float *x = p.make<float>(4096), *out = p.make<float>(rows);
    int4* q = (int4*)p.make<uint32_t>(rows * 1024);
    auto fill = [&](uint32_t s) { p.uniform(x, 4096, s); p.integers((uint32_t*)q, rows * 1024, s, ~0u); };
    float4* x4 = (float4*)x;
    auto zero = [&] { CK(cudaMemset(out, 0, rows * 4)); };
    p.run("product", out, rows, 1000, 1e-4f, fill, {
        {"product_converted", "before", [&] { product_converted<<<4096, 256>>>(q, x4, out); }},
        {"product_bits", "made:fewer-conversions", [&] { product_bits<<<4096, 256>>>(q, x4, out); }},
        {"product_blocks_128", "whole-waves", [&] { product_blocks<128><<<8192, 128>>>(q, x4, out); }},
        {"product_blocks_64", "whole-waves", [&] { product_blocks<64><<<16384, 64>>>(q, x4, out); }},
        {"product_even", "whole-waves", [&] { product_even<<<792, 256>>>(q, x4, out, rows); }},
        {"product_halves", "whole-waves", [&] { product_halves<<<792, 256>>>(q, x4, out, rows); }},
    }, zero);
}
