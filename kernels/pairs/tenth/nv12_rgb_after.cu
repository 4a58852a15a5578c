// nv12_rgb_after: frames of NV12 as RGB of bytes, a thread to four pixels, words loaded and stored.
__device__ __forceinline__ unsigned byte_of(int x) { return min(max(x + 128 >> 8, 0), 255); }

extern "C" __global__ void __launch_bounds__(256) nv12_rgb_after(unsigned* __restrict__ out, const unsigned* __restrict__ luma, const unsigned* __restrict__ chroma, int width, int height)
{
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, words = width / 4;
    if (x >= words || y >= height) {
        return;
    }
    const long long word = ((long long)blockIdx.z * height + y) * words + x;
    const unsigned four = luma[word], pairs = chroma[((long long)blockIdx.z * (height / 2) + y / 2) * words + x];
    unsigned colour[12];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int l = 298 * (int(four >> 8 * k & 255) - 16), u = int(pairs >> 16 * (k / 2) & 255) - 128, v = int(pairs >> 16 * (k / 2) + 8 & 255) - 128;
        colour[3 * k] = byte_of(l + 409 * v);
        colour[3 * k + 1] = byte_of(l - 100 * u - 208 * v);
        colour[3 * k + 2] = byte_of(l + 516 * u);
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        out[3 * word + k] = colour[4 * k] | colour[4 * k + 1] << 8 | colour[4 * k + 2] << 16 | colour[4 * k + 3] << 24;
    }
}
