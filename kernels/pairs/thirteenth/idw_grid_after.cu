// idw_grid_after: rainfall of a map from its stations by inverse distances.
// Weights fall with the third power of the distance.
extern "C" __global__ void __launch_bounds__(256) idw_grid_after(float* __restrict__ out, const float* __restrict__ sx, const float* __restrict__ sy, const float* __restrict__ sv, int stations, int width, int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const float px = (x + 0.5f) / width, py = (y + 0.5f) / height;
    float weights = 0.0f, sum = 0.0f;
    for (int i = 0; i < stations; ++i) {
        const float dx = px - sx[i], dy = py - sy[i];
        const float d2 = dx * dx + dy * dy + 1e-8f;
        const float r = rsqrtf(d2);
        const float w = r * r * r;
        weights += w;
        sum += w * sv[i];
    }
    out[y * width + x] = sum / weights;
}
