// csr_product_after: y = A x of a sparse matrix by rows, eight lanes to a row.
constexpr int Lanes = 8;

extern "C" __global__ void __launch_bounds__(256) csr_product_after(float* __restrict__ y, const unsigned* __restrict__ start, const unsigned* __restrict__ column, const float* __restrict__ value, const float* __restrict__ x, int rows)
{
    const int row = (blockIdx.x * 256 + threadIdx.x) / Lanes, lane = threadIdx.x % Lanes;
    float sum = 0.0f;
    if (row < rows) {
        const unsigned end = start[row + 1];
        for (unsigned i = start[row] + lane; i < end; i += Lanes) {
            sum += value[i] * x[column[i]];
        }
    }
#pragma unroll
    for (int d = Lanes / 2; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
    }
    if (row < rows && lane == 0) {
        y[row] = sum;
    }
}
