#pragma once
// Softmax of a row of 4,096: three passes over global memory, then one with the row in registers.
__device__ float block_reduce(float v, bool take_max, float* shared) {
    for (int d = 16; d; d >>= 1) { float o = __shfl_xor_sync(~0u, v, d); v = take_max ? fmaxf(v, o) : v + o; }
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
    __syncthreads();
    v = shared[threadIdx.x % (blockDim.x / 32)];
    for (int d = blockDim.x / 64; d; d >>= 1) { float o = __shfl_xor_sync(~0u, v, d); v = take_max ? fmaxf(v, o) : v + o; }
    __syncthreads();
    return v;
}
__global__ void softmax_passes(const float* __restrict__ x, float* __restrict__ out, int cols) {
    __shared__ float shared[32];
    const float* row = x + (size_t)blockIdx.x * cols;
    float m = -1e30f, s = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
    m = block_reduce(m, true, shared);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += __expf(row[c] - m);
    s = block_reduce(s, false, shared);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[(size_t)blockIdx.x * cols + c] = __expf(row[c] - m) / s;
}
__global__ void softmax_registers(const float* __restrict__ x, float* __restrict__ out, int cols) {
    __shared__ float shared[32];
    const float* row = x + (size_t)blockIdx.x * cols;
    float v[16], m = -1e30f, s = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) { v[i] = row[threadIdx.x + i * 256]; m = fmaxf(m, v[i]); }
    m = block_reduce(m, true, shared);
#pragma unroll
    for (int i = 0; i < 16; i++) { v[i] = __expf(v[i] - m); s += v[i]; }
    s = 1.0f / block_reduce(s, false, shared);
#pragma unroll
    for (int i = 0; i < 16; i++) out[(size_t)blockIdx.x * cols + threadIdx.x + i * 256] = v[i] * s;
}
