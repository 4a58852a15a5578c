// window_shift_before: feature maps shifted around and cut into windows, for attention within windows.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) window_shift_before(half* __restrict__ out, const half* __restrict__ in, int images, int height, int width, int channels, int window, int shift)
{
    const long long total = (long long)images * height * width * channels;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) {
        return;
    }
    const long long to = i;
    const long long c = i % channels;
    i /= channels;
    const long long dx = i % window;
    i /= window;
    const long long dy = i % window;
    i /= window;
    const long long wx = i % (width / window);
    i /= width / window;
    const long long wy = i % (height / window);
    const long long image = i / (height / window);
    const long long x = (wx * window + dx + shift) % width;
    const long long y = (wy * window + dy + shift) % height;
    out[to] = in[((image * height + y) * width + x) * channels + c];
}
