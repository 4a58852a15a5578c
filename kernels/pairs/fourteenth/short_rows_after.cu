// short_rows_after: a sparse matrix with four to ten values a row times a vector.
#define LANES 8

extern "C" __global__ void __launch_bounds__(256) short_rows_after(float* __restrict__ out, const unsigned int* __restrict__ start, const unsigned int* __restrict__ column, const float* __restrict__ value, const float* __restrict__ x, int rows)
{
    const int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    if (r >= rows) {
        return;
    }
    float sum = 0.0f;
    for (unsigned int k = start[r] + lane; k < start[r + 1]; k += LANES) {
        sum += value[k] * x[column[k]];
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, d, LANES);
    }
    if (lane == 0) {
        out[r] = sum;
    }
}
