// bilateral_after: bilateral filter of an image, window of run-time radius, weights of space from a table of the block.
extern "C" __global__ void __launch_bounds__(256) bilateral_after(float* out, const float* __restrict__ in, int width, int height, int radius, float space, float range)
{
    __shared__ float near[17 * 17];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const float here = in[y * width + x];
    float sum = 0.0f, total = 0.0f;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < (2 * radius + 1) * (2 * radius + 1); i += 256) {
        const int dy = i / (2 * radius + 1) - radius, dx = i % (2 * radius + 1) - radius;
        near[i] = expf(-(dx * dx + dy * dy) * space);
    }
    __syncthreads();
    int at = 0;
    for (int dy = -radius; dy <= radius; ++dy) {
        const float* row = in + min(max(y + dy, 0), height - 1) * width;
        for (int dx = -radius; dx <= radius; ++dx) {
            const float v = row[min(max(x + dx, 0), width - 1)], d = v - here;
            const float weight = near[at++] * expf(-d * d * range);
            sum += weight * v;
            total += weight;
        }
    }
    out[y * width + x] = sum / total;
}
