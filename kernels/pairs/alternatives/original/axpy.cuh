#pragma once
// y = a x + y by floats, then by float4.
__global__ void axpy_scalar(const float* __restrict__ x, float* __restrict__ y, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.5f * x[i] + y[i];
}
__global__ void axpy_vector(const float4* __restrict__ x, float4* __restrict__ y, float4* __restrict__ out, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 a = x[i], b = y[i];
    out[i] = make_float4(2.5f * a.x + b.x, 2.5f * a.y + b.y, 2.5f * a.z + b.z, 2.5f * a.w + b.w);
}
