#pragma once
// Clenshaw's recurrence over 96 coefficients that all lanes read at one address: from constant memory, then from shared memory.
__constant__ float coefficients[96];
template <bool SHARED> __device__ __forceinline__ void clenshaw(const float4* __restrict__ x, float4* __restrict__ out) {
    __shared__ float s[96];
    if (SHARED) {
        if (threadIdx.x < 96) s[threadIdx.x] = coefficients[threadIdx.x];
        __syncthreads();
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    float in[4] = {v.x, v.y, v.z, v.w}, one[4] = {}, two[4] = {};
#pragma unroll
    for (int k = 95; k > 0; k--) {
        float c = SHARED ? s[k] : coefficients[k];
#pragma unroll
        for (int e = 0; e < 4; e++) { float y = 2 * in[e] * one[e] - two[e] + c; two[e] = one[e]; one[e] = y; }
    }
    for (int e = 0; e < 4; e++) one[e] = in[e] * one[e] - two[e] + coefficients[0];
    out[i] = make_float4(one[0], one[1], one[2], one[3]);
}
__global__ void __launch_bounds__(256) clenshaw_constant(const float4* __restrict__ x, float4* __restrict__ out) { clenshaw<false>(x, out); }
__global__ void __launch_bounds__(256) clenshaw_shared(const float4* __restrict__ x, float4* __restrict__ out) { clenshaw<true>(x, out); }
