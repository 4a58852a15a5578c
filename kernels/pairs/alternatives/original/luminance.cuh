#pragma once
// Luminance of pixels of three bytes, byte by byte, then four pixels a thread as words.
__device__ __forceinline__ float luminance(uint32_t r, uint32_t g, uint32_t b) { return 0.299f * r + 0.587f * g + 0.114f * b; }
__global__ void luminance_bytes(const uint8_t* __restrict__ rgb, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = luminance(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
}
__global__ void luminance_words(const uint32_t* __restrict__ rgb, float4* __restrict__ out, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    uint32_t a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
    out[i] = make_float4(luminance(a & 255, a >> 8 & 255, a >> 16 & 255), luminance(a >> 24, b & 255, b >> 8 & 255),
                         luminance(b >> 16 & 255, b >> 24, c & 255), luminance(c >> 8 & 255, c >> 16 & 255, c >> 24));
}
