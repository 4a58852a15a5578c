// nv12_rgb_ahead_4: frames of NV12 as RGB of bytes, a thread to 4 pixels 64 apart, their bytes loaded before the first is used.
constexpr int Each = 4;

__device__ __forceinline__ unsigned byte_of(int x) { return min(max(x + 128 >> 8, 0), 255); }

extern "C" __global__ void __launch_bounds__(256) nv12_rgb_ahead_4(unsigned char* __restrict__ out, const unsigned char* __restrict__ luma, const unsigned char* __restrict__ chroma, int width, int height)
{
    const int x = blockIdx.x * (64 * Each) + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (y >= height) {
        return;
    }
    const long long row = ((long long)blockIdx.z * height + y) * width;
    const unsigned char* const pairs = chroma + ((long long)blockIdx.z * (height / 2) + y / 2) * width;
    int l[Each], u[Each], v[Each];
#pragma unroll
    for (int k = 0; k < Each; ++k) {
        const int at = min(x + 64 * k, width - 1);
        l[k] = luma[row + at];
        u[k] = pairs[at & ~1];
        v[k] = pairs[at | 1];
    }
#pragma unroll
    for (int k = 0; k < Each; ++k) {
        if (x + 64 * k < width) {
            const long long pixel = row + x + 64 * k;
            const int light = 298 * (l[k] - 16), blue = u[k] - 128, red = v[k] - 128;
            out[3 * pixel] = byte_of(light + 409 * red);
            out[3 * pixel + 1] = byte_of(light - 100 * blue - 208 * red);
            out[3 * pixel + 2] = byte_of(light + 516 * blue);
        }
    }
}
