// nearest: "Keep the table of :141 in constant memory or in registers". The table is 64 KB, all that a kernel may have of constants.
// In registers: a lane holds a point and hands its four words round, which takes four shuffles a point.
#include "alt.cuh"
#include "original/nearest.cuh"

__constant__ float4 POINTS[4096];
template <int UNROLL> __global__ void __launch_bounds__(256) nearest_constant(const float4* __restrict__ query, float* __restrict__ out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 q = query[i];
    float best = 1e30f;
#pragma unroll UNROLL
    for (int k = 0; k < 4096; k++) best = nearer(best, q, POINTS[k]);
    out[i] = best;
}
__global__ void __launch_bounds__(256) nearest_shuffled(const float4* __restrict__ query, const float4* __restrict__ point, float* __restrict__ out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 q = query[i];
    float best = 1e30f;
#pragma unroll 1
    for (int from = 0; from < 4096; from += 32) {
        float4 own = point[from + threadIdx.x % 32];
#pragma unroll 8
        for (int k = 0; k < 32; k++)
            best = nearer(best, q, make_float4(__shfl_sync(~0u, own.x, k), __shfl_sync(~0u, own.y, k), __shfl_sync(~0u, own.z, k), __shfl_sync(~0u, own.w, k)));
    }
    out[i] = best;
}
// The second row, "several independent loads before the first use": more of them than the eight that the loop has.
__global__ void __launch_bounds__(256) nearest_ahead(const float4* __restrict__ query, const float4* __restrict__ point, float* __restrict__ out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 q = query[i];
    float best = 1e30f;
#pragma unroll 1
    for (int k = 0; k < 4096; k += 16) {
        float4 p[16];
#pragma unroll
        for (int e = 0; e < 16; e++) p[e] = point[k + e];
#pragma unroll
        for (int e = 0; e < 16; e++) best = nearer(best, q, p[e]);
    }
    out[i] = best;
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 528 * 256;
    float *x = p.make<float>(4 * n), *weight = p.make<float>(16384), *out = p.make<float>(n);
    auto fill = [&](uint32_t s) {
        p.uniform(x, 4 * n, s); p.uniform(weight, 16384, s + 5);
        CK(cudaMemcpyToSymbol(POINTS, weight, sizeof(POINTS), 0, cudaMemcpyDeviceToDevice));
    };
    p.run("nearest", out, n, 1, 1e-5f, fill, {
        {"nearest_cached", "before", [&] { nearest_cached<<<528, 256>>>((float4*)x, (float4*)weight, out); }},
        {"nearest_tiles", "made:reuse-in-sm", [&] { nearest_tiles<<<528, 256>>>((float4*)x, (float4*)weight, out); }},
        {"nearest_constant_8", "move-constants", [&] { nearest_constant<8><<<528, 256>>>((float4*)x, out); }},
        {"nearest_constant_32", "move-constants", [&] { nearest_constant<32><<<528, 256>>>((float4*)x, out); }},
        {"nearest_shuffled", "move-constants:registers", [&] { nearest_shuffled<<<528, 256>>>((float4*)x, (float4*)weight, out); }},
        {"nearest_ahead", "row 2:more-in-flight", [&] { nearest_ahead<<<528, 256>>>((float4*)x, (float4*)weight, out); }},
    });
}
