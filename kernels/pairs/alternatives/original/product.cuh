#pragma once
// Products of rows of 8-bit weights with a vector: a conversion to a weight, then bits put behind an exponent.
template <bool BITS> __device__ __forceinline__ void product(const int4* __restrict__ q, const float4* __restrict__ x, float* __restrict__ out) {
    int lane = threadIdx.x % 32;
    size_t row = blockIdx.x * 8 + threadIdx.x / 32;
    float s = 0;
#pragma unroll 2
    for (int k = 0; k < 8; k++) {
        int4 w = q[row * 256 + k * 32 + lane];
        int words[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float4 v = x[(k * 4 + j) * 32 + lane];
            float f[4];
#pragma unroll
            for (int e = 0; e < 4; e++)
                f[e] = BITS ? __uint_as_float(__byte_perm(words[j] ^ 0x80808080, 0x4B000000, 0x7440 + e)) - 8388736.0f : (float)(signed char)(words[j] >> 8 * e);
            s += f[0] * v.x + f[1] * v.y + f[2] * v.z + f[3] * v.w;
        }
    }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) out[row] = s;
}
__global__ void __launch_bounds__(256) product_converted(const int4* __restrict__ q, const float4* __restrict__ x, float* __restrict__ out) { product<false>(q, x, out); }
__global__ void __launch_bounds__(256) product_bits(const int4* __restrict__ q, const float4* __restrict__ x, float* __restrict__ out) { product<true>(q, x, out); }
