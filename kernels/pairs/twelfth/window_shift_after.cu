// window_shift_after: feature maps shifted around and cut into windows, for attention within windows.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) window_shift_after(half* __restrict__ out, const half* __restrict__ in, int images, int height, int width, int channels, int window, int shift)
{
    const unsigned int total = (unsigned int)images * height * width * channels;
    unsigned int i = (unsigned int)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) {
        return;
    }
    const unsigned int to = i;
    const unsigned int c = i % channels;
    i /= channels;
    const unsigned int dx = i % window;
    i /= window;
    const unsigned int dy = i % window;
    i /= window;
    const unsigned int wx = i % (width / window);
    i /= width / window;
    const unsigned int wy = i % (height / window);
    const unsigned int image = i / (height / window);
    const unsigned int x = (wx * window + dx + shift) % width;
    const unsigned int y = (wy * window + dy + shift) % height;
    out[to] = in[((image * height + y) * width + x) * channels + c];
}
