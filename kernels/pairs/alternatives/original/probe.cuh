#pragma once
// 32 probes of a table of 128 MB a thread: one block of 1,024 threads fits an SM by its registers, then five of 256.
__device__ __forceinline__ void probe(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t key = keys[i];
    float v[32], s = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) v[k] = table[(key + k * 0x9E3779B9u) * 0x85EBCA6Bu >> 7];
#pragma unroll
    for (int k = 0; k < 32; k++) s += v[k] * v[(k * 5 + 3) % 32];
    out[i] = s;
}
__global__ void __launch_bounds__(1024) probe_large(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out) { probe(table, keys, out); }
__global__ void __launch_bounds__(256) probe_small(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out) { probe(table, keys, out); }
