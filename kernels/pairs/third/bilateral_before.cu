// bilateral_before: bilateral filter of an image, window of run-time radius, both weights by expf.
extern "C" __global__ void __launch_bounds__(256) bilateral_before(float* out, const float* __restrict__ in, int width, int height, int radius, float space, float range)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const float here = in[y * width + x];
    float sum = 0.0f, total = 0.0f;
    for (int dy = -radius; dy <= radius; ++dy) {
        const float* row = in + min(max(y + dy, 0), height - 1) * width;
        for (int dx = -radius; dx <= radius; ++dx) {
            const float v = row[min(max(x + dx, 0), width - 1)], d = v - here;
            const float weight = expf(-(dx * dx + dy * dy) * space) * expf(-d * d * range);
            sum += weight * v;
            total += weight;
        }
    }
    out[y * width + x] = sum / total;
}
