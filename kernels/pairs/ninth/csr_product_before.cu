// csr_product_before: y = A x of a sparse matrix by rows, a thread to a row.
extern "C" __global__ void __launch_bounds__(256) csr_product_before(float* __restrict__ y, const unsigned* __restrict__ start, const unsigned* __restrict__ column, const float* __restrict__ value, const float* __restrict__ x, int rows)
{
    const int row = blockIdx.x * 256 + threadIdx.x;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (unsigned i = start[row]; i < start[row + 1]; ++i) {
        sum += value[i] * x[column[i]];
    }
    y[row] = sum;
}
