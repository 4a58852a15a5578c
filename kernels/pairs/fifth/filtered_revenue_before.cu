// filtered_revenue_before: the revenue of rows by date, discount and quantity, the columns read as the filter asks, a row at a time.
extern "C" __global__ void __launch_bounds__(256) filtered_revenue_before(float* revenue, const unsigned* __restrict__ date, const float* __restrict__ discount, const float* __restrict__ quantity, const float* __restrict__ price, int rows, unsigned from, unsigned to)
{
    const int step = gridDim.x * blockDim.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += step) {
        if (date[i] >= from && date[i] < to) {
            const float d = discount[i];
            if (d >= 0.05f && d <= 0.07f && quantity[i] < 24.0f) {
                sum += price[i] * d;
            }
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(revenue, sum);
    }
}
