// axpy: "More bytes in flight: several independent loads before the first use, 16 bytes a lane".
#include "alt.cuh"
#include "original/axpy.cuh"

template <int N> __global__ void __launch_bounds__(256) axpy_ahead(const float* __restrict__ x, float* __restrict__ y, float* __restrict__ out, int n) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    float a[N], b[N];
#pragma unroll
    for (int k = 0; k < N; k++) { a[k] = x[i + 256 * k]; b[k] = y[i + 256 * k]; }
#pragma unroll
    for (int k = 0; k < N; k++) out[i + 256 * k] = 2.5f * a[k] + b[k];
}
template <int N> __global__ void __launch_bounds__(256) axpy_vectors(const float4* __restrict__ x, float4* __restrict__ y, float4* __restrict__ out, int n4) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    float4 a[N], b[N];
#pragma unroll
    for (int k = 0; k < N; k++) { a[k] = x[i + 256 * k]; b[k] = y[i + 256 * k]; }
#pragma unroll
    for (int k = 0; k < N; k++) out[i + 256 * k] = make_float4(2.5f * a[k].x + b[k].x, 2.5f * a[k].y + b[k].y, 2.5f * a[k].z + b[k].z, 2.5f * a[k].w + b[k].w);
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *y = p.make<float>(n), *out = p.make<float>(n);
    float4 *x4 = (float4*)x, *y4 = (float4*)y, *out4 = (float4*)out;
    p.run("axpy", out, n, 1e-3f, 1e-5f, [&](uint32_t s) { p.uniform(x, n, s); p.uniform(y, n, s + 10); }, {
        {"axpy_scalar", "before", [&] { axpy_scalar<<<n / 256, 256>>>(x, y, out, n); }},
        {"axpy_vector", "made:wide-loads", [&] { axpy_vector<<<n / 1024, 256>>>(x4, y4, out4, n / 4); }},
        {"axpy_ahead_2", "more-in-flight", [&] { axpy_ahead<2><<<n / 512, 256>>>(x, y, out, n); }},
        {"axpy_ahead_4", "more-in-flight", [&] { axpy_ahead<4><<<n / 1024, 256>>>(x, y, out, n); }},
        {"axpy_ahead_8", "more-in-flight", [&] { axpy_ahead<8><<<n / 2048, 256>>>(x, y, out, n); }},
        {"axpy_vectors_2", "more-in-flight", [&] { axpy_vectors<2><<<n / 2048, 256>>>(x4, y4, out4, n / 4); }},
        {"axpy_vectors_4", "more-in-flight", [&] { axpy_vectors<4><<<n / 4096, 256>>>(x4, y4, out4, n / 4); }},
    });
}
