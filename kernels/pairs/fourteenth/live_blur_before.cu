// live_blur_before: a blur of the frame that a camera fills.
extern "C" __global__ void __launch_bounds__(256) live_blur_before(float* __restrict__ out, volatile const float* image, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) {
        return;
    }
    float sum = 0.0f;
#pragma unroll
    for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
        for (int dx = -2; dx <= 2; ++dx) {
            sum += image[(y + dy) * width + x + dx] * (float)((3 - abs(dx)) * (3 - abs(dy)));
        }
    }
    out[y * width + x] = sum * (1.0f / 81.0f);
}
