#pragma once
// Four sums of powers with weights that all lanes read at one address: from four rows, then from rows of four.
template <bool WIDE> __device__ __forceinline__ void moments(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ out) {
    __shared__ __align__(16) float s[1024];
    for (int i = threadIdx.x; i < 1024; i += 256) s[WIDE ? (i % 256) * 4 + i / 256 : i] = weight[i];
    __syncthreads();
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float v = x[i], power = 1, a = 0, b = 0, c = 0, d = 0;
#pragma unroll 1
    for (int k = 0; k < 256; k++) {
        float4 w = WIDE ? *(const float4*)(s + 4 * k) : make_float4(s[k], s[256 + k], s[512 + k], s[768 + k]);
        a += w.x * power; b += w.y * power; c += w.z * power; d += w.w * power;
        power *= v;
    }
    out[i] = a + b * c + d;
}
__global__ void __launch_bounds__(256) moments_rows(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ out) { moments<false>(x, weight, out); }
__global__ void __launch_bounds__(256) moments_fours(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ out) { moments<true>(x, weight, out); }
