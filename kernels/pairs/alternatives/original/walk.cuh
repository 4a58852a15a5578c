#pragma once
// The same items over 144 blocks, one to an SM by its table in shared memory, then over 132.
extern __shared__ float table[];
__device__ __forceinline__ void walk(const float* __restrict__ x, float* __restrict__ out, int items) {
    for (int k = threadIdx.x; k < 30000; k += 256) table[k] = x[k];
    __syncthreads();
    int per = items / gridDim.x;
    for (int i = blockIdx.x * per + threadIdx.x; i < (blockIdx.x + 1) * per; i += 256) {
        float v = x[i];
        for (int k = 0; k < 64; k++) v = v * 0.9f + table[(int)(fabsf(v) * 977.0f + k) % 30000];
        out[i] = v;
    }
}
__global__ void __launch_bounds__(256) walk_144(const float* __restrict__ x, float* __restrict__ out, int items) { walk(x, out, items); }
__global__ void __launch_bounds__(256) walk_132(const float* __restrict__ x, float* __restrict__ out, int items) { walk(x, out, items); }
