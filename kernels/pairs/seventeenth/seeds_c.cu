// seeds_c: squared distance of points to the nearest of 128 centres (seeds of k-means).
#define DEPTH 16
#define CENTRES 128

// A point a thread, held in registers; centres in shared memory, read by 16 bytes.
extern "C" __global__ void __launch_bounds__(256) seeds_c(float* __restrict__ out, const float* __restrict__ point, const float* __restrict__ centre, int points, int centres, int depth)
{
    __shared__ float4 s[CENTRES * DEPTH / 4];
    for (int j = threadIdx.x; j < CENTRES * DEPTH / 4; j += 256) {
        s[j] = ((const float4*)centre)[j];
    }
    __syncthreads();
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
    for (int c = 0; c < CENTRES; ++c) {
        float d = 0.0f;
#pragma unroll
        for (int k = 0; k < DEPTH; k += 4) {
            const float4 v = s[(c * DEPTH + k) / 4];
            d += (p[k] - v.x) * (p[k] - v.x);
            d += (p[k + 1] - v.y) * (p[k + 1] - v.y);
            d += (p[k + 2] - v.z) * (p[k + 2] - v.z);
            d += (p[k + 3] - v.w) * (p[k + 3] - v.w);
        }
        best = fminf(best, d);
    }
    out[i] = best;
}
