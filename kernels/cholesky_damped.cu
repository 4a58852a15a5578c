// cholesky_damped: Cholesky factors of 4224 symmetric matrices of 32 x 32 in double precision with a number added to the diagonal, as
// alternating least squares or a damped Gauss-Newton step asks for; one block to a matrix, one thread to an element.
//
// Shows:      the textbook's loop over columns in shared memory: root, barrier, column, barrier, rest of the matrix, barrier.
// Limiter:    barriers: of 1024 threads one takes the root and its reciprocal, some 300 cycles of dependent FP64 instructions, while 31
//             warps stand at the barrier behind it; three barriers a column with half of the rows idle, and two blocks to an SM have
//             no more than the other's column to cover that.
// Lever:      a warp to a matrix, a row to a lane in registers: shuffles in place of barriers, 16 and more matrices to an SM.
// Shape:      batch = 4224 matrices of 32 x 32 doubles (33 MiB in, 33 MiB out), row-major; the lower triangle is read.
// Launch:     grid 4224 x 1 x 1, block 32 x 32 x 1, dynamic shared memory 0 bytes.
// Arguments:  double* factor [batch * 1024], const double* matrix [batch * 1024], double damping
// Result:     factor == L, lower triangular with zeros above, L · transpose(L) == matrix + damping * identity

__global__ void __launch_bounds__(1024) cholesky_damped(double* __restrict__ factor, const double* __restrict__ matrix, double damping)
{
    __shared__ double tile[32][33], inverse;
    const unsigned column = threadIdx.x, row = threadIdx.y, at = (blockIdx.x * 32u + row) * 32u + column;
    tile[row][column] = matrix[at] + (row == column ? damping : 0.0);
    __syncthreads();
    for (unsigned k = 0; k < 32u; ++k) {
        if (row == k && column == k) {
            tile[k][k] = sqrt(tile[k][k]);
            inverse = 1.0 / tile[k][k];
        }
        __syncthreads();  // limiter
        if (column == k && row > k) {
            tile[row][k] *= inverse;
        }
        __syncthreads();
        if (column > k && row >= column) {
            tile[row][column] -= tile[row][k] * tile[column][k];
        }
        __syncthreads();
    }
    factor[at] = row >= column ? tile[row][column] : 0.0;
}
