// ragged: "More bytes in flight: several independent loads before the first use, 16 bytes a lane". Lengths are multiples of 2,048.
#include "alt.cuh"
#include "original/ragged.cuh"

__device__ __forceinline__ float chain(float v) {
#pragma unroll
    for (int k = 0; k < 8; k++) v = v * 0.99f + 0.01f;
    return v;
}
__device__ __forceinline__ void leave(float s, float* out, int row) {
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&out[row], s);
}
template <int N> __global__ void __launch_bounds__(256) ragged_ahead(const float* __restrict__ x, const uint32_t* __restrict__ length, float* __restrict__ out, int rows) {
    int row = blockIdx.x, len = length[row];
    float s = 0;
#pragma unroll 1
    for (int c = threadIdx.x; c < len; c += 256 * N) {
        float v[N];
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = x[(row * 64 + c + 256 * k) & ((1 << 20) - 1)];
#pragma unroll
        for (int k = 0; k < N; k++) s += chain(v[k]);
    }
    leave(s, out, row);
}
template <int N> __global__ void __launch_bounds__(256) ragged_vectors(const float* __restrict__ x, const uint32_t* __restrict__ length, float* __restrict__ out, int rows) {
    int row = blockIdx.x, len = length[row];
    float s = 0;
#pragma unroll 1
    for (int c = threadIdx.x * 4; c < len; c += 1024 * N) {
        float4 v[N];
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = *(const float4*)&x[(row * 64 + c + 1024 * k) & ((1 << 20) - 1)];
#pragma unroll
        for (int k = 0; k < N; k++) s += chain(v[k].x) + chain(v[k].y) + chain(v[k].z) + chain(v[k].w);
    }
    leave(s, out, row);
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 1 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(4096);
    uint32_t* length = p.make<uint32_t>(4096);
    std::vector<uint32_t> h(4096);
    for (int i = 0; i < 4096; i++) h[i] = i < 3968 ? 2048 : 65536;
    CK(cudaMemcpy(length, h.data(), 16384, cudaMemcpyHostToDevice));
    p.run("ragged", out, 4096, 1, 1e-3f, [&](uint32_t s) { p.uniform(x, n, s); }, {
        {"ragged_ascending", "before", [&] { ragged_ascending<<<4096, 256>>>(x, length, out, 4096); }},
        {"ragged_descending", "made:even-blocks", [&] { ragged_descending<<<4096, 256>>>(x, length, out, 4096); }},
        {"ragged_ahead_4", "more-in-flight", [&] { ragged_ahead<4><<<4096, 256>>>(x, length, out, 4096); }},
        {"ragged_ahead_8", "more-in-flight", [&] { ragged_ahead<8><<<4096, 256>>>(x, length, out, 4096); }},
        {"ragged_vectors_1", "more-in-flight", [&] { ragged_vectors<1><<<4096, 256>>>(x, length, out, 4096); }},
        {"ragged_vectors_2", "more-in-flight", [&] { ragged_vectors<2><<<4096, 256>>>(x, length, out, 4096); }},
    }, [&] { CK(cudaMemset(out, 0, 16384)); });
}
