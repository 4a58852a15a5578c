#pragma once
// Pixels of four bytes written a byte at a time, then as one word.
__global__ void pack_bytes(const float* __restrict__ in, unsigned char* __restrict__ out, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    for (int c = 0; c < 4; c++) out[4 * (size_t)i + c] = (unsigned char)(in[i] * (60 + c));
}
__global__ void pack_words(const float* __restrict__ in, uchar4* __restrict__ out, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    float v = in[i];
    out[i] = make_uchar4((unsigned char)(v * 60), (unsigned char)(v * 61), (unsigned char)(v * 62), (unsigned char)(v * 63));
}
