// filtered_revenue_after: the revenue of rows by date, discount and quantity, the columns read as the filter asks, eight rows at a time.
extern "C" __global__ void __launch_bounds__(256) filtered_revenue_after(float* revenue, const unsigned* __restrict__ date, const float* __restrict__ discount, const float* __restrict__ quantity, const float* __restrict__ price, int rows, unsigned from, unsigned to)
{
    const int step = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += 8 * step) {
        unsigned day[8];
        float d[8], q[8], p[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            day[k] = i + k * step < rows ? date[i + k * step] : ~0u;
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            d[k] = day[k] >= from && day[k] < to ? discount[i + k * step] : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            q[k] = d[k] >= 0.05f && d[k] <= 0.07f ? quantity[i + k * step] : 24.0f;
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            p[k] = q[k] < 24.0f ? price[i + k * step] : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            sum += p[k] * d[k];
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(revenue, sum);
    }
}
