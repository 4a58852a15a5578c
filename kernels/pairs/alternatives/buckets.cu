// buckets: "More bytes in flight: several independent loads before the first use, 16 bytes a lane". The remainders stay at 64 bits.
// buckets_reciprocal is the second row, "a product with the reciprocal".
#include "alt.cuh"
#include "original/buckets.cuh"

typedef unsigned long long wide_t;
__device__ __forceinline__ float bucket(uint32_t word, wide_t size) {
    wide_t key = word, first = key % size, second = (uint32_t)(key * 2654435761u) % size;
    return (float)(first ^ second);
}
template <int N> __global__ void __launch_bounds__(256) buckets_ahead(const uint32_t* __restrict__ keys, float* __restrict__ out, wide_t size) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    uint32_t key[N];
#pragma unroll
    for (int k = 0; k < N; k++) key[k] = keys[i + 256 * k];
#pragma unroll
    for (int k = 0; k < N; k++) out[i + 256 * k] = bucket(key[k], size);
}
template <int N> __global__ void __launch_bounds__(256) buckets_vectors(const uint4* __restrict__ keys, float4* __restrict__ out, wide_t size) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    uint4 key[N];
#pragma unroll
    for (int k = 0; k < N; k++) key[k] = keys[i + 256 * k];
#pragma unroll
    for (int k = 0; k < N; k++) out[i + 256 * k] = make_float4(bucket(key[k].x, size), bucket(key[k].y, size), bucket(key[k].z, size), bucket(key[k].w, size));
}
// inverse = floor((2^64 - 1) / size) + 1, exact for keys and sizes below 2^32.
__global__ void __launch_bounds__(256) buckets_reciprocal(const uint32_t* __restrict__ keys, float* __restrict__ out, uint32_t size, wide_t inverse) {
    int i = blockIdx.x * 256 + threadIdx.x;
    uint32_t key = keys[i], other = key * 2654435761u;
    uint32_t first = key - (uint32_t)__umul64hi(key, inverse) * size, second = other - (uint32_t)__umul64hi(other, inverse) * size;
    out[i] = (float)(first ^ second);
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float* out = p.make<float>(n);
    uint32_t* keys = p.make<uint32_t>(n);
    const wide_t size = 1000003;
    p.run("buckets", out, n, 1e-3f, 0, [&](uint32_t s) { p.integers(keys, n, s, ~0u); }, {
        {"buckets_64", "before", [&] { buckets_64<<<n / 256, 256>>>(keys, out, size); }},
        {"buckets_32", "made:fewer-instructions", [&] { buckets_32<<<n / 256, 256>>>(keys, out, (uint32_t)size); }},
        {"buckets_ahead_2", "more-in-flight", [&] { buckets_ahead<2><<<n / 512, 256>>>(keys, out, size); }},
        {"buckets_ahead_4", "more-in-flight", [&] { buckets_ahead<4><<<n / 1024, 256>>>(keys, out, size); }},
        {"buckets_ahead_8", "more-in-flight", [&] { buckets_ahead<8><<<n / 2048, 256>>>(keys, out, size); }},
        {"buckets_vectors_1", "more-in-flight", [&] { buckets_vectors<1><<<n / 1024, 256>>>((uint4*)keys, (float4*)out, size); }},
        {"buckets_vectors_2", "more-in-flight", [&] { buckets_vectors<2><<<n / 2048, 256>>>((uint4*)keys, (float4*)out, size); }},
        {"buckets_reciprocal", "row 2:fewer-conversions", [&] { buckets_reciprocal<<<n / 256, 256>>>(keys, out, (uint32_t)size, ~0ull / size + 1); }},
    });
}
