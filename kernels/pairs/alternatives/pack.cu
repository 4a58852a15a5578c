// pack: "More bytes in flight: several independent loads before the first use, 16 bytes a lane". The stores of bytes stay.
#include "alt.cuh"
#include "original/pack.cuh"

__device__ __forceinline__ void store_bytes(unsigned char* out, int i, float v) {
#pragma unroll
    for (int c = 0; c < 4; c++) out[4 * (size_t)i + c] = (unsigned char)(v * (60 + c));
}
template <int N> __global__ void __launch_bounds__(256) pack_ahead(const float* __restrict__ in, unsigned char* __restrict__ out, int pixels) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    float v[N];
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = in[i + 256 * k];
#pragma unroll
    for (int k = 0; k < N; k++) store_bytes(out, i + 256 * k, v[k]);
}
__global__ void __launch_bounds__(256) pack_vector(const float4* __restrict__ in, unsigned char* __restrict__ out, int pixels) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 v = in[i];
    store_bytes(out, 4 * i, v.x); store_bytes(out, 4 * i + 1, v.y); store_bytes(out, 4 * i + 2, v.z); store_bytes(out, 4 * i + 3, v.w);
}
__device__ __forceinline__ uint32_t word(float v) { return (uint32_t)(unsigned char)(v * 60) | (uint32_t)(unsigned char)(v * 61) << 8 | (uint32_t)(unsigned char)(v * 62) << 16 | (uint32_t)(unsigned char)(v * 63) << 24; }
template <int N> __global__ void __launch_bounds__(256) pack_both(const float4* __restrict__ in, uint4* __restrict__ out, int pixels) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    float4 v[N];
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = in[i + 256 * k];
#pragma unroll
    for (int k = 0; k < N; k++) out[i + 256 * k] = make_uint4(word(v[k].x), word(v[k].y), word(v[k].z), word(v[k].w));
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 16 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(n);
    unsigned char* bytes = (unsigned char*)out;
    // Words of bytes are compared as floats: the largest difference of 1e30 is a difference of bits in numbers of any size.
    p.run("pack", out, n, 1e-3f, 0, [&](uint32_t s) { p.uniform(x, n, s, 0, 1); }, {
        {"pack_bytes", "before", [&] { pack_bytes<<<n / 256, 256>>>(x, bytes, n); }},
        {"pack_words", "made:wide-loads+coalesce", [&] { pack_words<<<n / 256, 256>>>(x, (uchar4*)bytes, n); }},
        {"pack_ahead_2", "more-in-flight", [&] { pack_ahead<2><<<n / 512, 256>>>(x, bytes, n); }},
        {"pack_ahead_4", "more-in-flight", [&] { pack_ahead<4><<<n / 1024, 256>>>(x, bytes, n); }},
        {"pack_ahead_8", "more-in-flight", [&] { pack_ahead<8><<<n / 2048, 256>>>(x, bytes, n); }},
        {"pack_vector", "more-in-flight", [&] { pack_vector<<<n / 1024, 256>>>((float4*)x, bytes, n); }},
        {"pack_both_1", "more-in-flight+coalesce", [&] { pack_both<1><<<n / 1024, 256>>>((float4*)x, (uint4*)bytes, n); }},
        {"pack_both_2", "more-in-flight+coalesce", [&] { pack_both<2><<<n / 2048, 256>>>((float4*)x, (uint4*)bytes, n); }},
    });
}
