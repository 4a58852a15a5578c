#pragma once
// A histogram in global memory, then one a block in shared memory, then one a warp.
__global__ void counts_global(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&out[keys[i]], 1u);
}
__global__ void counts_block(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, int n) {
    __shared__ uint32_t h[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) h[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[keys[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], h[i]);
}
__global__ void counts_warp(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, int n) {
    __shared__ uint32_t h[8][256];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) h[i / 256][i % 256] = 0;
    __syncthreads();
    int w = threadIdx.x / 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[w][keys[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) { uint32_t s = 0; for (int k = 0; k < 8; k++) s += h[k][i]; atomicAdd(&out[i], s); }
}
