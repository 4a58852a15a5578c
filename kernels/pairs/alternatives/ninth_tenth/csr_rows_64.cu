// csr_rows_64: a sparse matrix in rows times a vector, a warp to a row, a block to two warps.
extern "C" __global__ void __launch_bounds__(64) csr_rows_64(float* __restrict__ out, const unsigned* __restrict__ start, const unsigned* __restrict__ column, const float* __restrict__ value, const float* __restrict__ vector, int rows)
{
    const int row = (blockIdx.x * 64 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (unsigned i = start[row] + lane, end = start[row + 1]; i < end; i += 32) {
        sum += value[i] * vector[column[i]];
    }
#pragma unroll
    for (int step = 16; step; step /= 2) {
        sum += __shfl_xor_sync(~0u, sum, step);
    }
    if (lane == 0) {
        out[row] = sum;
    }
}
