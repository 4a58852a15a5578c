// softmax: "More bytes in flight: several independent loads before the first use, 16 bytes a lane". The three passes stay: the loads
// are volatile, so that the compiler cannot keep a row from one pass to the next.
#include "alt.cuh"
#include "original/softmax.cuh"

__device__ __forceinline__ float fresh(const float* p) { float v; asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(p)); return v; }
__device__ __forceinline__ float4 fresh(const float4* p) { float4 v; asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p)); return v; }

template <int N, class F> __device__ __forceinline__ void over_row(const float* row, int cols, F use) {
#pragma unroll 1
    for (int c = threadIdx.x; c < cols; c += 256 * N) {
        float v[N];
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = fresh(row + c + 256 * k);
#pragma unroll
        for (int k = 0; k < N; k++) use(c + 256 * k, v[k]);
    }
}
template <int N> __global__ void __launch_bounds__(256) softmax_ahead(const float* __restrict__ x, float* __restrict__ out, int cols) {
    __shared__ float shared[32];
    const float* row = x + (size_t)blockIdx.x * cols;
    float* to = out + (size_t)blockIdx.x * cols;
    float m = -1e30f, s = 0;
    over_row<N>(row, cols, [&](int, float v) { m = fmaxf(m, v); });
    m = block_reduce(m, true, shared);
    over_row<N>(row, cols, [&](int, float v) { s += __expf(v - m); });
    s = block_reduce(s, false, shared);
    over_row<N>(row, cols, [&](int c, float v) { to[c] = __expf(v - m) / s; });
}
template <int N> __global__ void __launch_bounds__(256) softmax_vectors(const float* __restrict__ x, float* __restrict__ out, int cols) {
    __shared__ float shared[32];
    const float4* row = (const float4*)(x + (size_t)blockIdx.x * cols);
    float4* to = (float4*)(out + (size_t)blockIdx.x * cols);
    float m = -1e30f, s = 0;
    auto pass = [&](auto use) {
#pragma unroll 1
        for (int c = threadIdx.x; c < cols / 4; c += 256 * N) {
            float4 v[N];
#pragma unroll
            for (int k = 0; k < N; k++) v[k] = fresh(row + c + 256 * k);
#pragma unroll
            for (int k = 0; k < N; k++) use(c + 256 * k, v[k]);
        }
    };
    pass([&](int, float4 v) { m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w))); });
    m = block_reduce(m, true, shared);
    pass([&](int, float4 v) { s += __expf(v.x - m) + __expf(v.y - m) + __expf(v.z - m) + __expf(v.w - m); });
    s = block_reduce(s, false, shared);
    pass([&](int c, float4 v) { to[c] = make_float4(__expf(v.x - m) / s, __expf(v.y - m) / s, __expf(v.z - m) / s, __expf(v.w - m) / s); });
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(n);
    p.run("softmax", out, n, 1e-6f, 1e-3f, [&](uint32_t s) { p.uniform(x, n, s); }, {
        {"softmax_passes", "before", [&] { softmax_passes<<<n / 4096, 256>>>(x, out, 4096); }},
        {"softmax_registers", "made:fewer-passes", [&] { softmax_registers<<<n / 4096, 256>>>(x, out, 4096); }},
        {"softmax_ahead_4", "more-in-flight", [&] { softmax_ahead<4><<<n / 4096, 256>>>(x, out, 4096); }},
        {"softmax_ahead_8", "more-in-flight", [&] { softmax_ahead<8><<<n / 4096, 256>>>(x, out, 4096); }},
        {"softmax_ahead_16", "more-in-flight", [&] { softmax_ahead<16><<<n / 4096, 256>>>(x, out, 4096); }},
        {"softmax_vectors_2", "more-in-flight", [&] { softmax_vectors<2><<<n / 4096, 256>>>(x, out, 4096); }},
        {"softmax_vectors_4", "more-in-flight", [&] { softmax_vectors<4><<<n / 4096, 256>>>(x, out, 4096); }},
    });
}
