// hadamard: "Fewer and wider accesses: reuse values in registers, 16 bytes a lane". The steps commute: a thread takes three or four of
// them on values in registers, then values change threads through shared memory, two or three times in place of eleven.
#include "alt.cuh"
#include "original/hadamard.cuh"

// Steps over N values, at distances of 1 << FROM, .. 1 << TO - 1 in the thread's own array.
template <int N, int FROM, int TO> __device__ __forceinline__ void steps(float (&v)[N]) {
#pragma unroll
    for (int b = FROM; b < TO; b++)
#pragma unroll
        for (int k = 0; k < N; k++)
            if (!(k >> b & 1)) { float p = v[k], q = v[k | 1 << b]; v[k] = p + q; v[k | 1 << b] = p - q; }
}
// 128 threads of 16 values: bits 0, 1, 9, 10 from the load of 16 bytes, then 2 to 5, then 6 to 8.
__global__ void __launch_bounds__(128) hadamard_sixteen(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ __align__(16) float s[2048 + 128];
    auto at = [](int i) { return i + 4 * (i >> 6); };
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 2048;
    float v[16];
#pragma unroll
    for (int k = 0; k < 4; k++) *(float4*)(v + 4 * k) = *(const float4*)(x + base + 4 * t + 512 * k);
    steps<16, 0, 4>(v);
#pragma unroll
    for (int k = 0; k < 4; k++) *(float4*)(s + at(4 * t + 512 * k)) = *(float4*)(v + 4 * k);
    __syncthreads();
    int second = (t & 3) | (t >> 2) << 6;
#pragma unroll
    for (int k = 0; k < 16; k++) v[k] = s[at(second | k << 2)];
    steps<16, 0, 4>(v);
#pragma unroll
    for (int k = 0; k < 16; k++) s[at(second | k << 2)] = v[k];
    __syncthreads();
    int third = (t & 63) | (t >> 6) << 10;
#pragma unroll
    for (int k = 0; k < 16; k++) v[k] = s[at(third | k << 6)];
    steps<16, 0, 3>(v);
#pragma unroll
    for (int k = 0; k < 16; k++) out[base + (third | k << 6)] = v[k];
}
// 256 threads of 8 values: bits 0, 1, 10 from the load, then 2 to 4, then 5 to 7, then 8 and 9.
__global__ void __launch_bounds__(256) hadamard_eight(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ __align__(16) float s[2048 + 256];
    auto at = [](int i) { return i + 4 * (i >> 5); };
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 2048;
    float v[8];
#pragma unroll
    for (int k = 0; k < 2; k++) *(float4*)(v + 4 * k) = *(const float4*)(x + base + 4 * t + 1024 * k);
    steps<8, 0, 3>(v);
#pragma unroll
    for (int k = 0; k < 2; k++) *(float4*)(s + at(4 * t + 1024 * k)) = *(float4*)(v + 4 * k);
    __syncthreads();
    int second = (t & 3) | (t >> 2) << 5;
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = s[at(second | k << 2)];
    steps<8, 0, 3>(v);
#pragma unroll
    for (int k = 0; k < 8; k++) s[at(second | k << 2)] = v[k];
    __syncthreads();
    int third = (t & 31) | (t >> 5) << 8;
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = s[at(third | k << 5)];
    steps<8, 0, 3>(v);
#pragma unroll
    for (int k = 0; k < 8; k++) s[at(third | k << 5)] = v[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = s[at(t + 256 * k)];
    steps<8, 0, 2>(v);
#pragma unroll
    for (int k = 0; k < 8; k++) out[base + t + 256 * k] = v[k];
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(n);
    p.run("hadamard", out, n, 1, 1e-4f, [&](uint32_t s) { p.uniform(x, n, s); }, {
        {"hadamard_plain", "before", [&] { hadamard_plain<<<n / 2048, 256>>>(x, out); }},
        {"hadamard_padded", "made:unconflict", [&] { hadamard_padded<<<n / 2048, 256>>>(x, out); }},
        {"hadamard_sixteen", "reuse-in-sm", [&] { hadamard_sixteen<<<n / 2048, 128>>>(x, out); }},
        {"hadamard_eight", "reuse-in-sm", [&] { hadamard_eight<<<n / 2048, 256>>>(x, out); }},
    });
}
