// harris_before: corners of an image: gradients in a window of 5 x 5.
__device__ float3 products(const float* __restrict__ p, int width)
{
    const float gx = p[1 - width] + 2.0f * p[1] + p[1 + width] - p[-1 - width] - 2.0f * p[-1] - p[width - 1];
    const float gy = p[width - 1] + 2.0f * p[width] + p[width + 1] - p[-width - 1] - 2.0f * p[-width] - p[1 - width];
    return make_float3(gx * gx, gx * gy, gy * gy);
}

// The image has a rim of three pixels, of which nothing is written.
extern "C" __global__ void __launch_bounds__(256) harris_before(float* __restrict__ out, const float* __restrict__ image, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x + 3, y = blockIdx.y * 8 + threadIdx.y + 3;

    if (x >= width - 3 || y >= height - 3) {
        return;
    }
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int dy = -2; dy <= 2; ++dy) {
        for (int dx = -2; dx <= 2; ++dx) {
            const float3 own = products(image + (y + dy) * width + x + dx, width);
            sum.x += own.x;
            sum.y += own.y;
            sum.z += own.z;
        }
    }
    const float trace = sum.x + sum.z;
    out[y * width + x] = sum.x * sum.z - sum.y * sum.y - 0.04f * trace * trace;
}
