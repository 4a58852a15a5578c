// sobel_before: size of the gradient of an image, a pixel to a thread, neighbours read from global memory.
extern "C" __global__ void __launch_bounds__(256) sobel_before(float* out, const float* __restrict__ in, int height, int width)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const float* up = in + (long long)max(y - 1, 0) * width;
    const float* middle = in + (long long)y * width;
    const float* down = in + (long long)min(y + 1, height - 1) * width;
    const float gx = up[right] - up[left] + 2.0f * (middle[right] - middle[left]) + down[right] - down[left];
    const float gy = down[left] - up[left] + 2.0f * (down[x] - up[x]) + down[right] - up[right];
    out[(long long)y * width + x] = sqrtf(gx * gx + gy * gy);
}
