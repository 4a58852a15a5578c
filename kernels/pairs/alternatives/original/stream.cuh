#pragma once
// A stream with 32 values a thread in registers, then held to 32 registers so that more blocks fit.
template <int N> __device__ __forceinline__ void mix(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[N], s = 0;
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = x[(size_t)k * n + i];
#pragma unroll
    for (int k = 0; k < N; k++) s += v[k] * v[(k * 7 + 3) % N];
    out[i] = s;
}
__global__ void __launch_bounds__(256) stream_wide(const float* __restrict__ x, float* __restrict__ out, int n) { mix<32>(x, out, n); }
__global__ void __launch_bounds__(256, 8) stream_bounded(const float* __restrict__ x, float* __restrict__ out, int n) { mix<32>(x, out, n); }
