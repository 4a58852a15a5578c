// covariance_after: products of all pairs of 2,048 variables over their samples, lower triangle of tiles of 128 x 128, samples split among eight blocks.
extern "C" __global__ void __launch_bounds__(256) covariance_after(float* sum, const float* __restrict__ sample, int variables, int samples)
{
    __shared__ float left[8][128], right[8][128];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int ti = (int)((sqrtf(8.0f * blockIdx.x + 1.0f) - 1.0f) * 0.5f);
    while ((ti + 1) * (ti + 2) / 2 <= (int)blockIdx.x) {
        ++ti;
    }
    while (ti * (ti + 1) / 2 > (int)blockIdx.x) {
        --ti;
    }
    const int tj = blockIdx.x - ti * (ti + 1) / 2;
    const int share = samples / gridDim.y, from = blockIdx.y * share, to = from + share;
    float c[8][8] = {};
    for (int s = from; s < to; s += 8) {
        const float* row = sample + (long long)(s + t / 32) * variables + t % 32 * 4;
        const float4 a = *reinterpret_cast<const float4*>(row + ti * 128), b = *reinterpret_cast<const float4*>(row + tj * 128);
        __syncthreads();
        *reinterpret_cast<float4*>(&left[t / 32][t % 32 * 4]) = a;
        *reinterpret_cast<float4*>(&right[t / 32][t % 32 * 4]) = b;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float x[8], y[8];
#pragma unroll
            for (int h = 0; h < 8; h += 4) {
                *reinterpret_cast<float4*>(&x[h]) = *reinterpret_cast<const float4*>(&left[k][ty * 4 + h * 16]);
                *reinterpret_cast<float4*>(&y[h]) = *reinterpret_cast<const float4*>(&right[k][tx * 4 + h * 16]);
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    c[i][j] += x[i] * y[j];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            float* place = &sum[(long long)(ti * 128 + ty * 4 + i / 4 * 64 + i % 4) * variables + tj * 128 + tx * 4 + j / 4 * 64 + j % 4];
            atomicAdd(place, c[i][j]);
        }
    }
}
