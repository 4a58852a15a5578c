// nv12_rgb_staged_words: frames of NV12 as RGB of bytes, a thread to a pixel, colours through shared memory, neighbouring lanes store neighbouring words.
__device__ __forceinline__ unsigned byte_of(int x) { return min(max(x + 128 >> 8, 0), 255); }

extern "C" __global__ void __launch_bounds__(256) nv12_rgb_staged_words(unsigned char* __restrict__ out, const unsigned char* __restrict__ luma, const unsigned char* __restrict__ chroma, int width, int height)
{
    __shared__ alignas(16) unsigned char colour[4][192];
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    const long long first = ((long long)blockIdx.z * height + y) * width + blockIdx.x * 64;
    const int wide = min(64, width - int(blockIdx.x) * 64);
    if (x < width && y < height) {
        const unsigned char* pair = chroma + ((long long)blockIdx.z * (height / 2) + y / 2) * width + (x & ~1);
        const int l = 298 * (luma[first + threadIdx.x] - 16), u = pair[0] - 128, v = pair[1] - 128;
        unsigned char* const to = colour[threadIdx.y] + 3 * threadIdx.x;
        to[0] = byte_of(l + 409 * v);
        to[1] = byte_of(l - 100 * u - 208 * v);
        to[2] = byte_of(l + 516 * u);
    }
    __syncthreads();
    if (y >= height) {
        return;
    }
    // whole words: rows are of a multiple of four pixels
    const int i = threadIdx.x;
    if (4 * i < 3 * wide) {
        reinterpret_cast<unsigned*>(out + 3 * first)[i] = reinterpret_cast<const unsigned*>(colour[threadIdx.y])[i];
    }
}
