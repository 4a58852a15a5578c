#pragma once
// Rows of 1,025 floats scaled by a factor each: rows one behind the other, then each at a multiple of 128 bytes.
__device__ __forceinline__ void scale_rows(const float* __restrict__ x, const float* __restrict__ factor, float* __restrict__ out, int pitch) {
    size_t row = blockIdx.x;
    float f = factor[row];
    for (int c = threadIdx.x; c < 1025; c += blockDim.x) out[row * 1056 + c] = x[row * pitch + c] * f;
}
__global__ void rows_packed(const float* __restrict__ x, const float* __restrict__ factor, float* __restrict__ out) { scale_rows(x, factor, out, 1025); }
__global__ void rows_aligned(const float* __restrict__ x, const float* __restrict__ factor, float* __restrict__ out) { scale_rows(x, factor, out, 1056); }
