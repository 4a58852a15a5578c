#pragma once
// A Walsh-Hadamard transform of 2,048 values in shared memory, in order, then with a word of padding in each row of 32.
template <bool PADDED> __device__ __forceinline__ void hadamard(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float s[2048 + 64];
    auto at = [](int i) { return PADDED ? i + (i >> 5) : i; };
    size_t base = (size_t)blockIdx.x * 2048;
    for (int k = 0; k < 8; k++) { int i = threadIdx.x + 256 * k; s[at(i)] = x[base + i]; }
    __syncthreads();
#pragma unroll
    for (int h = 1; h < 2048; h <<= 1) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int q = threadIdx.x + 256 * k, i = (q & ~(h - 1)) * 2 + (q & (h - 1));
            float a = s[at(i)], b = s[at(i + h)];
            s[at(i)] = a + b;
            s[at(i + h)] = a - b;
        }
        __syncthreads();
    }
    for (int k = 0; k < 8; k++) { int i = threadIdx.x + 256 * k; out[base + i] = s[at(i)]; }
}
__global__ void __launch_bounds__(256) hadamard_plain(const float* __restrict__ x, float* __restrict__ out) { hadamard<false>(x, out); }
__global__ void __launch_bounds__(256) hadamard_padded(const float* __restrict__ x, float* __restrict__ out) { hadamard<true>(x, out); }
