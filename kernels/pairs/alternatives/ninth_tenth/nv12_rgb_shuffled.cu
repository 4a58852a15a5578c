// nv12_rgb_shuffled: frames of NV12 as RGB of bytes, a thread to a pixel, the colours of a warp put together by shuffles to words, which 24 lanes store.
__device__ __forceinline__ unsigned byte_of(int x) { return min(max(x + 128 >> 8, 0), 255); }

extern "C" __global__ void __launch_bounds__(256) nv12_rgb_shuffled(unsigned char* __restrict__ out, const unsigned char* __restrict__ luma, const unsigned char* __restrict__ chroma, int width, int height)
{
    const int lane = threadIdx.x % 32, first = blockIdx.x * 64 + (threadIdx.x - lane), y = blockIdx.y * 4 + threadIdx.y;
    if (y >= height) {
        return;
    }
    const int x = min(first + lane, width - 1);
    const long long row = ((long long)blockIdx.z * height + y) * width;
    const unsigned char* pair = chroma + ((long long)blockIdx.z * (height / 2) + y / 2) * width + (x & ~1);
    const int l = 298 * (luma[row + x] - 16), u = pair[0] - 128, v = pair[1] - 128;
    const unsigned colour = byte_of(l + 409 * v) | byte_of(l - 100 * u - 208 * v) << 8 | byte_of(l + 516 * u) << 16;
    const int pixel = lane * 4 / 3, skipped = lane * 4 % 3;
    const unsigned one = __shfl_sync(~0u, colour, pixel), next = __shfl_sync(~0u, colour, pixel + 1);
    // whole words: rows are of a multiple of four pixels
    if (lane * 4 < 3 * min(32, width - first)) {
        reinterpret_cast<unsigned*>(out + 3 * (row + first))[lane] = one >> 8 * skipped | next << 24 - 8 * skipped;
    }
}
