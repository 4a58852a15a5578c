#pragma once
// 96 KB of shared memory a block for a table of which a block uses a third, then 32 KB.
extern __shared__ float dynamic[];
__global__ void lookup_all(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out, int per) {
    for (int i = threadIdx.x; i < 24576; i += blockDim.x) dynamic[i] = table[i];
    __syncthreads();
    for (int i = threadIdx.x; i < per; i += blockDim.x) out[(size_t)blockIdx.x * per + i] = dynamic[keys[(size_t)blockIdx.x * per + i]];
}
__global__ void lookup_third(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out, int per) {
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) dynamic[i] = table[i];
    __syncthreads();
    for (int i = threadIdx.x; i < per; i += blockDim.x) out[(size_t)blockIdx.x * per + i] = dynamic[keys[(size_t)blockIdx.x * per + i]];
}
