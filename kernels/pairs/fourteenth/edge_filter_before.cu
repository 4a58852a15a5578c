// edge_filter_before: a filter of 7 x 7 that goes on with the pixels of the edge.
#define RADIUS 3

extern "C" __global__ void __launch_bounds__(256) edge_filter_before(float* __restrict__ out, const float* __restrict__ image, const float* __restrict__ weight, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float sum = 0.0f;
#pragma unroll
    for (int dy = -RADIUS; dy <= RADIUS; ++dy) {
#pragma unroll
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            const int u = min(max(x + dx, 0), width - 1), v = min(max(y + dy, 0), height - 1);
            sum += weight[(dy + RADIUS) * (2 * RADIUS + 1) + dx + RADIUS] * image[v * width + u];
        }
    }
    out[y * width + x] = sum;
}
