#pragma once
// Norms of four neighbouring values behind a header of one word: all lanes begin at the first, then each eighth of a warp at another one.
template <bool TURNED> __device__ __forceinline__ void quads(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float s[1025];
    size_t base = (size_t)blockIdx.x * 1024;
    if (threadIdx.x == 0) s[0] = 1.0f;
    for (int k = 0; k < 4; k++) s[1 + threadIdx.x + 256 * k] = x[base + threadIdx.x + 256 * k];
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) { int e = TURNED ? (k + threadIdx.x / 8) & 3 : k; float q = s[1 + threadIdx.x * 4 + e]; v += q * q; }
    out[(size_t)blockIdx.x * 256 + threadIdx.x] = sqrtf(v) * s[0];
}
__global__ void __launch_bounds__(256) quads_in_order(const float* __restrict__ x, float* __restrict__ out) { quads<false>(x, out); }
__global__ void __launch_bounds__(256) quads_turned(const float* __restrict__ x, float* __restrict__ out) { quads<true>(x, out); }
