#pragma once
// Literals of type double in a kernel of floats, then of type float.
__global__ void gelu_doubles(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    out[i] = 0.5 * v * (1.0 + tanhf(0.7978845608 * (v + 0.044715 * v * v * v)));
}
__global__ void gelu_floats(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    out[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}
