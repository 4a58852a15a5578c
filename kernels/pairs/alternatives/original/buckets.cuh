#pragma once
// The remainder by a size of run time: in 64 bits, then in the 32 that the values have.
template <class T> __device__ __forceinline__ void buckets(const uint32_t* __restrict__ keys, float* __restrict__ out, T size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T key = keys[i], first = key % size, second = (uint32_t)(key * 2654435761u) % size;
    out[i] = (float)(first ^ second);
}
__global__ void __launch_bounds__(256) buckets_64(const uint32_t* __restrict__ keys, float* __restrict__ out, unsigned long long size) { buckets(keys, out, size); }
__global__ void __launch_bounds__(256) buckets_32(const uint32_t* __restrict__ keys, float* __restrict__ out, uint32_t size) { buckets(keys, out, size); }
