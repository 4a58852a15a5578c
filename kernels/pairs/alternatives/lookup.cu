// lookup: "More bytes in flight: several independent loads before the first use, 16 bytes a lane". The table stays whole, 96 KB.
#include "alt.cuh"
#include "original/lookup.cuh"

template <int N> __global__ void __launch_bounds__(256) lookup_ahead(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out, int per) {
#pragma unroll 1
    for (int i = threadIdx.x; i < 24576; i += 256 * N) {
        float v[N];
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = table[i + 256 * k];
#pragma unroll
        for (int k = 0; k < N; k++) dynamic[i + 256 * k] = v[k];
    }
    __syncthreads();
    keys += (size_t)blockIdx.x * per; out += (size_t)blockIdx.x * per;
#pragma unroll 1
    for (int i = threadIdx.x; i < per; i += 256 * N) {
        uint32_t key[N];
#pragma unroll
        for (int k = 0; k < N; k++) key[k] = keys[i + 256 * k];
#pragma unroll
        for (int k = 0; k < N; k++) out[i + 256 * k] = dynamic[key[k]];
    }
}
__device__ __forceinline__ void look_up(const uint4* __restrict__ keys, float4* __restrict__ out, uint4 (&key)[4]) {
#pragma unroll
    for (int k = 0; k < 4; k++) out[threadIdx.x + 256 * k] = make_float4(dynamic[key[k].x], dynamic[key[k].y], dynamic[key[k].z], dynamic[key[k].w]);
}
// 16 bytes a lane, six loads of the table in flight; ASYNC: all of the table in flight, and the keys before the wait for it.
template <bool ASYNC> __global__ void __launch_bounds__(256) lookup_vectors(const float4* __restrict__ table, const uint4* __restrict__ keys, float4* __restrict__ out, int per) {
    uint4 key[4];
    keys += (size_t)blockIdx.x * (per / 4); out += (size_t)blockIdx.x * (per / 4);
    if (ASYNC) {
#pragma unroll 8
        for (int i = threadIdx.x; i < 6144; i += 256)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(dynamic + 4 * i)), "l"(table + i) : "memory");
#pragma unroll
        for (int k = 0; k < 4; k++) key[k] = keys[threadIdx.x + 256 * k];
        asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
#pragma unroll 1
        for (int i = threadIdx.x; i < 6144; i += 256 * 6) {
            float4 v[6];
#pragma unroll
            for (int k = 0; k < 6; k++) v[k] = table[i + 256 * k];
#pragma unroll
            for (int k = 0; k < 6; k++) ((float4*)dynamic)[i + 256 * k] = v[k];
        }
#pragma unroll
        for (int k = 0; k < 4; k++) key[k] = keys[threadIdx.x + 256 * k];
    }
    __syncthreads();
    look_up(keys, out, key);
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 16 << 20;
    float *x = p.make<float>(24576), *out = p.make<float>(n);
    uint32_t* keys = p.make<uint32_t>(n);
    const int bytes = 98304;
    CK(cudaFuncSetAttribute(lookup_all, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    CK(cudaFuncSetAttribute(lookup_third, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    for (auto kernel : {lookup_ahead<4>, lookup_ahead<8>, lookup_ahead<16>}) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    for (auto kernel : {lookup_vectors<false>, lookup_vectors<true>}) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    p.run("lookup", out, n, 1e-2f, 0, [&](uint32_t s) { p.uniform(x, 24576, s); p.integers(keys, n, s, 8192); }, {
        {"lookup_all", "before", [&] { lookup_all<<<4096, 256, bytes>>>(x, keys, out, 4096); }},
        {"lookup_third", "made:more-warps", [&] { lookup_third<<<4096, 256, 32768>>>(x, keys, out, 4096); }},
        {"lookup_ahead_4", "more-in-flight", [&] { lookup_ahead<4><<<4096, 256, bytes>>>(x, keys, out, 4096); }},
        {"lookup_ahead_8", "more-in-flight", [&] { lookup_ahead<8><<<4096, 256, bytes>>>(x, keys, out, 4096); }},
        {"lookup_ahead_16", "more-in-flight", [&] { lookup_ahead<16><<<4096, 256, bytes>>>(x, keys, out, 4096); }},
        {"lookup_vectors", "more-in-flight", [&] { lookup_vectors<false><<<4096, 256, bytes>>>((float4*)x, (uint4*)keys, (float4*)out, 4096); }},
        {"lookup_async", "more-in-flight", [&] { lookup_vectors<true><<<4096, 256, bytes>>>((float4*)x, (uint4*)keys, (float4*)out, 4096); }},
    });
}
