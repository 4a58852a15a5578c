// box_mean_after: means of a column of 63 pixels.
#define ROWS 64

extern "C" __global__ void __launch_bounds__(256) box_mean_after(float* __restrict__ out, const float* __restrict__ image, int width, int height, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * ROWS;
    if (x >= width) {
        return;
    }
    float sum = 0.0f;
    for (int v = max(first - radius - 1, 0); v < min(first + radius, height); ++v) {
        sum += image[v * width + x];
    }
    for (int y = first; y < min(first + ROWS, height); ++y) {
        const int top = y - radius, bottom = y + radius;
        sum += bottom < height ? image[bottom * width + x] : 0.0f;
        sum -= top > 0 && top - 1 >= 0 ? image[(top - 1) * width + x] : 0.0f;
        out[y * width + x] = sum / (min(bottom, height - 1) - max(top, 0) + 1);
    }
}
