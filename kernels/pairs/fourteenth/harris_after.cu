// harris_after: corners of an image: gradients in a window of 5 x 5.
__device__ float3 products(const float* __restrict__ p, int width)
{
    const float gx = p[1 - width] + 2.0f * p[1] + p[1 + width] - p[-1 - width] - 2.0f * p[-1] - p[width - 1];
    const float gy = p[width - 1] + 2.0f * p[width] + p[width + 1] - p[-width - 1] - 2.0f * p[-width] - p[1 - width];
    return make_float3(gx * gx, gx * gy, gy * gy);
}

// The image has a rim of three pixels, of which nothing is written.
extern "C" __global__ void __launch_bounds__(256) harris_after(float* __restrict__ out, const float* __restrict__ image, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x + 3, y = blockIdx.y * 8 + threadIdx.y + 3;

    __shared__ float xx[12][36], xy[12][36], yy[12][36];
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 12 * 36; i += 256) {
        const int u = blockIdx.x * 32 + i % 36 + 1, v = blockIdx.y * 8 + i / 36 + 1;
        const float3 own = u < width - 1 && v < height - 1 ? products(image + v * width + u, width) : make_float3(0.0f, 0.0f, 0.0f);
        xx[i / 36][i % 36] = own.x;
        xy[i / 36][i % 36] = own.y;
        yy[i / 36][i % 36] = own.z;
    }
    __syncthreads();
    if (x >= width - 3 || y >= height - 3) {
        return;
    }
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int dy = 0; dy < 5; ++dy) {
#pragma unroll
        for (int dx = 0; dx < 5; ++dx) {
            sum.x += xx[threadIdx.y + dy][threadIdx.x + dx];
            sum.y += xy[threadIdx.y + dy][threadIdx.x + dx];
            sum.z += yy[threadIdx.y + dy][threadIdx.x + dx];
        }
    }
    const float trace = sum.x + sum.z;
    out[y * width + x] = sum.x * sum.z - sum.y * sum.y - 0.04f * trace * trace;
}
