// gelu: "More bytes in flight: several independent loads before the first use, 16 bytes a lane". The literals stay doubles.
#include "alt.cuh"
#include "original/gelu.cuh"

__device__ __forceinline__ float gelu(float v) { return 0.5 * v * (1.0 + tanhf(0.7978845608 * (v + 0.044715 * v * v * v))); }
template <int N> __global__ void __launch_bounds__(256) gelu_ahead(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    float v[N];
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = x[i + 256 * k];
#pragma unroll
    for (int k = 0; k < N; k++) out[i + 256 * k] = gelu(v[k]);
}
template <int N> __global__ void __launch_bounds__(256) gelu_vectors(const float4* __restrict__ x, float4* __restrict__ out, int n) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    float4 v[N];
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = x[i + 256 * k];
#pragma unroll
    for (int k = 0; k < N; k++) out[i + 256 * k] = make_float4(gelu(v[k].x), gelu(v[k].y), gelu(v[k].z), gelu(v[k].w));
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(n);
    p.run("gelu", out, n, 1e-2f, 1e-3f, [&](uint32_t s) { p.uniform(x, n, s); }, {
        {"gelu_doubles", "before", [&] { gelu_doubles<<<n / 256, 256>>>(x, out, n); }},
        {"gelu_floats", "made:fewer-conversions", [&] { gelu_floats<<<n / 256, 256>>>(x, out, n); }},
        {"gelu_ahead_2", "more-in-flight", [&] { gelu_ahead<2><<<n / 512, 256>>>(x, out, n); }},
        {"gelu_ahead_4", "more-in-flight", [&] { gelu_ahead<4><<<n / 1024, 256>>>(x, out, n); }},
        {"gelu_ahead_8", "more-in-flight", [&] { gelu_ahead<8><<<n / 2048, 256>>>(x, out, n); }},
        {"gelu_vectors_1", "more-in-flight", [&] { gelu_vectors<1><<<n / 1024, 256>>>((float4*)x, (float4*)out, n); }},
        {"gelu_vectors_2", "more-in-flight", [&] { gelu_vectors<2><<<n / 2048, 256>>>((float4*)x, (float4*)out, n); }},
    });
}
