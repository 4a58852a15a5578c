// chamfer_before: squared distance of each point of a cloud to the nearest of another cloud.
extern "C" __global__ void __launch_bounds__(256) chamfer_before(float* __restrict__ out, const float* __restrict__ from, const float* __restrict__ to, int points)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float* source = from + (long long)blockIdx.y * points * 3;
    const float* target = to + (long long)blockIdx.y * points * 3;
    const float x = source[3 * i], y = source[3 * i + 1], z = source[3 * i + 2];
    float best = 1e30f;
    for (int j = 0; j < points; ++j) {
        const float dx = target[3 * j] - x, dy = target[3 * j + 1] - y, dz = target[3 * j + 2] - z;
        best = fminf(best, dx * dx + dy * dy + dz * dz);
    }
    out[blockIdx.y * points + i] = best;
}
