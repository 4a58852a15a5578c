// moments: "Register tile: several outputs a thread (4 x 4: 8 loads for 16 FFMA)". Weights come as before, four loads of four bytes.
#include "alt.cuh"
#include "original/moments.cuh"

template <int N> __global__ void __launch_bounds__(256) moments_tile(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ out) {
    __shared__ __align__(16) float s[1024];
    for (int i = threadIdx.x; i < 1024; i += 256) s[i] = weight[i];
    __syncthreads();
    size_t i = (size_t)blockIdx.x * (256 * N) + threadIdx.x;
    float v[N], power[N], a[N] = {}, b[N] = {}, c[N] = {}, d[N] = {};
#pragma unroll
    for (int j = 0; j < N; j++) { v[j] = x[i + 256 * j]; power[j] = 1; }
#pragma unroll 1
    for (int k = 0; k < 256; k++) {
        float w0 = s[k], w1 = s[256 + k], w2 = s[512 + k], w3 = s[768 + k];
#pragma unroll
        for (int j = 0; j < N; j++) { a[j] += w0 * power[j]; b[j] += w1 * power[j]; c[j] += w2 * power[j]; d[j] += w3 * power[j]; power[j] *= v[j]; }
    }
#pragma unroll
    for (int j = 0; j < N; j++) out[i + 256 * j] = a[j] + b[j] * c[j] + d[j];
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 2 << 20;
    float *x = p.make<float>(n), *weight = p.make<float>(1024), *out = p.make<float>(n);
    p.run("moments", out, n, 1, 1e-3f, [&](uint32_t s) { p.uniform(x, n, s); p.uniform(weight, 1024, s + 5); }, {
        {"moments_rows", "before", [&] { moments_rows<<<n / 256, 256>>>(x, weight, out); }},
        {"moments_fours", "made:wide-shared", [&] { moments_fours<<<n / 256, 256>>>(x, weight, out); }},
        {"moments_tile_2", "register-tile", [&] { moments_tile<2><<<n / 512, 256>>>(x, weight, out); }},
        {"moments_tile_4", "register-tile", [&] { moments_tile<4><<<n / 1024, 256>>>(x, weight, out); }},
        {"moments_tile_8", "register-tile", [&] { moments_tile<8><<<n / 2048, 256>>>(x, weight, out); }},
    });
}
