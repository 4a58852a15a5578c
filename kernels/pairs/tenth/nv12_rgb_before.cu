// nv12_rgb_before: frames of NV12 as RGB of bytes, a thread to a pixel.
__device__ __forceinline__ unsigned byte_of(int x) { return min(max(x + 128 >> 8, 0), 255); }

extern "C" __global__ void __launch_bounds__(256) nv12_rgb_before(unsigned char* __restrict__ out, const unsigned char* __restrict__ luma, const unsigned char* __restrict__ chroma, int width, int height)
{
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const long long pixel = ((long long)blockIdx.z * height + y) * width + x;
    const unsigned char* pair = chroma + ((long long)blockIdx.z * (height / 2) + y / 2) * width + (x & ~1);
    const int l = 298 * (luma[pixel] - 16), u = pair[0] - 128, v = pair[1] - 128;
    out[3 * pixel] = byte_of(l + 409 * v);
    out[3 * pixel + 1] = byte_of(l - 100 * u - 208 * v);
    out[3 * pixel + 2] = byte_of(l + 516 * u);
}
