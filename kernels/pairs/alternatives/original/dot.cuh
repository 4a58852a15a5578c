#pragma once
// One load in flight a thread on a small grid, then eight.
__global__ void dot_single(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out, int n) {
    float s = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i] * y[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void dot_eight(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out, int n) {
    float s = 0;
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 8 * step) {
        float a[8], b[8];
#pragma unroll
        for (int k = 0; k < 8; k++) { a[k] = x[i + k * step]; b[k] = y[i + k * step]; }
#pragma unroll
        for (int k = 0; k < 8; k++) s += a[k] * b[k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
