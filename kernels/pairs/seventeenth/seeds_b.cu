// seeds_b: squared distance of points to the nearest of 128 centres (seeds of k-means).
#define DEPTH 16

// A point a thread, held in registers.
extern "C" __global__ void __launch_bounds__(256) seeds_b(float* __restrict__ out, const float* __restrict__ point, const float* __restrict__ centre, int points, int centres, int depth)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= points) {
        return;
    }
    float p[DEPTH];
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
        p[k] = point[(long long)i * DEPTH + k];
    }
    float best = 3.4e38f;
    for (int c = 0; c < centres; ++c) {
        float d = 0.0f;
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            const float x = p[k] - centre[c * DEPTH + k];
            d += x * x;
        }
        best = fminf(best, d);
    }
    out[i] = best;
}
