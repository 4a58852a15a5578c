#pragma once
// A gather by 64-bit indices, then by 32-bit ones.
__global__ void gather_wide_index(const float* __restrict__ x, const long long* __restrict__ idx, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[idx[i]];
}
__global__ void gather_narrow_index(const float* __restrict__ x, const int* __restrict__ idx, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[idx[i]];
}
