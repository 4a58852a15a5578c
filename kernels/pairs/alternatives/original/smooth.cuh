#pragma once
// A stencil of three over tiles of 256: one buffer and two barriers a tile, then two buffers and one.
template <int BUFFERS> __device__ __forceinline__ void smooth(const float* __restrict__ x, float* __restrict__ out, int tiles) {
    __shared__ float s[BUFFERS][258];
    int t = threadIdx.x, side = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        size_t i = (size_t)tile * 256 + t;
        s[side][t + 1] = x[i];
        if (t == 0) s[side][0] = tile ? x[i - 1] : 0;
        if (t == 255) s[side][257] = tile + 1 < tiles ? x[i + 1] : 0;
        __syncthreads();
        out[i] = 0.25f * s[side][t] + 0.5f * s[side][t + 1] + 0.25f * s[side][t + 2];
        if (BUFFERS == 1) __syncthreads(); else side ^= 1;
    }
}
__global__ void __launch_bounds__(256) smooth_single(const float* __restrict__ x, float* __restrict__ out, int tiles) { smooth<1>(x, out, tiles); }
__global__ void __launch_bounds__(256) smooth_double(const float* __restrict__ x, float* __restrict__ out, int tiles) { smooth<2>(x, out, tiles); }
