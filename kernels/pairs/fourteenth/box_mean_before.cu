// box_mean_before: means of a column of 63 pixels.
extern "C" __global__ void __launch_bounds__(256) box_mean_before(float* __restrict__ out, const float* __restrict__ image, int width, int height, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) {
        return;
    }
    const int top = max(y - radius, 0), bottom = min(y + radius, height - 1);
    float sum = 0.0f;
    for (int v = top; v <= bottom; ++v) {
        sum += image[v * width + x];
    }
    out[y * width + x] = sum / (bottom - top + 1);
}
