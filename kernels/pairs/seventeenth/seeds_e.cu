// seeds_e: squared distance of points to the nearest of 128 centres (seeds of k-means).
#define DEPTH 16
#define CENTRES 128
#define EACH 4

// Four points a thread, held in registers; centres in shared memory, read by 16 bytes; the square of the difference by its product.
extern "C" __global__ void __launch_bounds__(256) seeds_e(float* __restrict__ out, const float* __restrict__ point, const float* __restrict__ centre, int points, int centres, int depth)
{
    __shared__ float4 s[CENTRES * DEPTH / 4];
    __shared__ float half_square[CENTRES];
    for (int j = threadIdx.x; j < CENTRES * DEPTH / 4; j += 256) {
        s[j] = ((const float4*)centre)[j];
    }
    __syncthreads();
    if (threadIdx.x < CENTRES) {
        float d = 0.0f;
#pragma unroll
        for (int k = 0; k < DEPTH / 4; ++k) {
            const float4 v = s[threadIdx.x * (DEPTH / 4) + k];
            d += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
        half_square[threadIdx.x] = -0.5f * d;
    }
    __syncthreads();
    const int i = blockIdx.x * 256 * EACH + threadIdx.x;
    float p[EACH][DEPTH], best[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            p[e][k] = point[(long long)(i + e * 256) * DEPTH + k];
        }
        best[e] = -3.4e38f;
    }
    for (int c = 0; c < CENTRES; ++c) {
        float d[EACH];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            d[e] = half_square[c];
        }
#pragma unroll
        for (int k = 0; k < DEPTH; k += 4) {
            const float4 v = s[(c * DEPTH + k) / 4];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                d[e] += p[e][k] * v.x;
                d[e] += p[e][k + 1] * v.y;
                d[e] += p[e][k + 2] * v.z;
                d[e] += p[e][k + 3] * v.w;
            }
        }
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            best[e] = fmaxf(best[e], d[e]);
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        float square = 0.0f;
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            square += p[e][k] * p[e][k];
        }
        out[i + e * 256] = fmaxf(square - 2.0f * best[e], 0.0f);
    }
}
