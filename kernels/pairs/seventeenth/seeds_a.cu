// seeds_a: squared distance of points to the nearest of 128 centres (seeds of k-means).
// A point a thread.
extern "C" __global__ void __launch_bounds__(256) seeds_a(float* __restrict__ out, const float* __restrict__ point, const float* __restrict__ centre, int points, int centres, int depth)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= points) {
        return;
    }
    float best = 3.4e38f;
    for (int c = 0; c < centres; ++c) {
        float d = 0.0f;
        for (int k = 0; k < depth; ++k) {
            const float x = point[(long long)i * depth + k] - centre[c * depth + k];
            d += x * x;
        }
        best = fminf(best, d);
    }
    out[i] = best;
}
