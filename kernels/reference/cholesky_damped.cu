// cholesky_damped: one matrix to a thread, row by row; grid 33, block 128.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void cholesky_damped_ref(double* factor, const double* matrix, double damping)
{
    const unsigned first = (blockIdx.x * 128u + threadIdx.x) * 1024u;
    for (unsigned row = 0; row < 32u; ++row) {
        for (unsigned column = 0; column <= row; ++column) {
            double sum = matrix[first + row * 32u + column] + (row == column ? damping : 0.0);
            for (unsigned k = 0; k < column; ++k) {
                sum -= factor[first + row * 32u + k] * factor[first + column * 32u + k];
            }
            factor[first + row * 32u + column] = row == column ? sqrt(sum) : sum / factor[first + column * 32u + column];
        }
        for (unsigned column = row + 1u; column < 32u; ++column) {
            factor[first + row * 32u + column] = 0.0;
        }
    }
}
