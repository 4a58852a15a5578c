// spmv_rows: one row to a thread, in double precision; grid rows / 256, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void spmv_rows_ref(float* y, const float* value, const unsigned* column, const float* x)
{
    const unsigned row = blockIdx.x * 256u + threadIdx.x;
    double sum = 0.0;
    for (unsigned at = row * 32u; at < row * 32u + 32u; ++at) {
        sum += static_cast<double>(value[at]) * static_cast<double>(x[column[at]]);
    }
    y[row] = static_cast<float>(sum);
}
