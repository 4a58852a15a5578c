#pragma once
// Sums of gathered values with 16 warps an SM: an index is loaded when it is used, then a turn ahead.
__global__ void gather_sum(const float* __restrict__ x, const uint32_t* __restrict__ index, float* __restrict__ out, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    float s = 0;
#pragma unroll 1
    for (int i = first; i < n; i += stride) s += x[index[i]];
    out[first] = s;
}
__global__ void gather_ahead(const float* __restrict__ x, const uint32_t* __restrict__ index, float* __restrict__ out, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    float s = 0;
    uint32_t at = first < n ? index[first] : 0;
#pragma unroll 1
    for (int i = first; i < n; i += stride) {
        uint32_t next = i + stride < n ? index[i + stride] : 0;
        s += x[at];
        at = next;
    }
    out[first] = s;
}
