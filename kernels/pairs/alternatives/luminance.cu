// luminance: "More bytes in flight: several independent loads before the first use, 16 bytes a lane".
#include "alt.cuh"
#include "original/luminance.cuh"

template <int N> __global__ void __launch_bounds__(256) luminance_ahead(const uint8_t* __restrict__ rgb, float* __restrict__ out, int n) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    uint8_t v[N][3];
#pragma unroll
    for (int k = 0; k < N; k++)
#pragma unroll
        for (int c = 0; c < 3; c++) v[k][c] = rgb[3 * (i + 256 * k) + c];
#pragma unroll
    for (int k = 0; k < N; k++) out[i + 256 * k] = luminance(v[k][0], v[k][1], v[k][2]);
}
// 16 pixels a thread: three loads and four stores of 16 bytes.
__global__ void __launch_bounds__(256) luminance_vectors(const uint4* __restrict__ rgb, float4* __restrict__ out, int groups) {
    int i = blockIdx.x * 256 + threadIdx.x;
    uint4 a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
    uint32_t w[12] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
#pragma unroll
    for (int q = 0; q < 4; q++) {
        uint32_t u = w[3 * q], v = w[3 * q + 1], z = w[3 * q + 2];
        out[4 * i + q] = make_float4(luminance(u & 255, u >> 8 & 255, u >> 16 & 255), luminance(u >> 24, v & 255, v >> 8 & 255),
                                     luminance(v >> 16 & 255, v >> 24, z & 255), luminance(z >> 8 & 255, z >> 16 & 255, z >> 24));
    }
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float* out = p.make<float>(n);
    uint32_t* keys = p.make<uint32_t>(n);
    p.run("luminance", out, n, 1, 1e-5f, [&](uint32_t s) { p.integers(keys, n, s, 1u << 31); }, {
        {"luminance_bytes", "before", [&] { luminance_bytes<<<n / 256, 256>>>((uint8_t*)keys, out, n); }},
        {"luminance_words", "made:wide-loads", [&] { luminance_words<<<n / 1024, 256>>>(keys, (float4*)out, n / 4); }},
        {"luminance_ahead_2", "more-in-flight", [&] { luminance_ahead<2><<<n / 512, 256>>>((uint8_t*)keys, out, n); }},
        {"luminance_ahead_4", "more-in-flight", [&] { luminance_ahead<4><<<n / 1024, 256>>>((uint8_t*)keys, out, n); }},
        {"luminance_ahead_8", "more-in-flight", [&] { luminance_ahead<8><<<n / 2048, 256>>>((uint8_t*)keys, out, n); }},
        {"luminance_vectors", "more-in-flight", [&] { luminance_vectors<<<n / 4096, 256>>>((uint4*)keys, (float4*)out, n / 16); }},
    });
}
