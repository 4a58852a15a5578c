#pragma once
// Blocks of 64 threads that each do little, then of 256 over the same threads.
__global__ void small_blocks(const float* __restrict__ x, float* __restrict__ out, int n) {
    __shared__ float bias[64];
    if (threadIdx.x < 64) bias[threadIdx.x] = threadIdx.x * 0.5f;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + bias[i & 63];
}
__global__ void large_loops(const float* __restrict__ x, float* __restrict__ out, int n) {
    __shared__ float bias[64];
    if (threadIdx.x < 64) bias[threadIdx.x] = threadIdx.x * 0.5f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = x[i] + bias[i & 63];
}
