#pragma once
// The nearest of 4,096 points, which all lanes read at one address: from the cache, then from tiles in shared memory.
__device__ __forceinline__ float nearer(float best, float4 q, float4 p) { float a = q.x - p.x, b = q.y - p.y, c = q.z - p.z; return fminf(best, a * a + b * b + c * c + p.w); }
__global__ void __launch_bounds__(256) nearest_cached(const float4* __restrict__ query, const float4* __restrict__ point, float* __restrict__ out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 q = query[i];
    float best = 1e30f;
#pragma unroll 8
    for (int k = 0; k < 4096; k++) best = nearer(best, q, point[k]);
    out[i] = best;
}
__global__ void __launch_bounds__(256) nearest_tiles(const float4* __restrict__ query, const float4* __restrict__ point, float* __restrict__ out) {
    __shared__ float4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 q = query[i];
    float best = 1e30f;
    for (int from = 0; from < 4096; from += 256) {
        __syncthreads();
        tile[threadIdx.x] = point[from + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) best = nearer(best, q, tile[k]);
    }
    out[i] = best;
}
