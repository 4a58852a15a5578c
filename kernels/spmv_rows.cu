// spmv_rows: sparse matrix times vector, 32 entries a row, one thread to a row and the entries of a row side by side.
//
// Shows:      lanes of a warp that read 128 bytes apart, for the values and for the columns; the gather of x beside them is
//             as scattered, but by nature: its address comes from a loaded column.
// Limiter:    sectors that the loads of values and columns waste, 32 of them where 4 would do.
// Lever:      store entries by position in the row (ELLPACK, column-major), or a warp to a row; the gather stays.
// Shape:      rows = 1048576 with 32 entries each; x has 1048576 floats (4 MiB).
// Launch:     grid 4096 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* y [rows], const float* value [rows * 32], const unsigned* column [rows * 32], const float* x [rows]
// Result:     y[r] == sum over j < 32 of value[r * 32 + j] * x[column[r * 32 + j]]

__global__ void spmv_rows(float* __restrict__ y, const float* __restrict__ value, const unsigned* __restrict__ column,
                          const float* __restrict__ x)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned j = 0; j < 32u; ++j) {
        const unsigned at = row * 32u + j;
        const float entry = value[at];  // limiter
        sum += entry * x[column[at]];
    }
    y[row] = sum;
}
