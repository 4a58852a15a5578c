// csr_rows_ahead_4: a sparse matrix in rows times a vector, a warp to 4 rows, their indices, values and places of the vector loaded side by side.
constexpr int Rows = 4;

extern "C" __global__ void __launch_bounds__(32) csr_rows_ahead_4(float* __restrict__ out, const unsigned* __restrict__ start, const unsigned* __restrict__ column, const float* __restrict__ value, const float* __restrict__ vector, int rows)
{
    const int row = blockIdx.x * Rows, lane = threadIdx.x;
    unsigned from[Rows + 1], place[Rows];
    float factor[Rows], sum[Rows];
#pragma unroll
    for (int k = 0; k <= Rows; ++k) {
        from[k] = start[min(row + k, rows)];
    }
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
        const unsigned i = from[k] + lane;
        const bool own = i < from[k + 1];
        place[k] = own ? column[i] : 0;
        factor[k] = own ? value[i] : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
        sum[k] = from[k] + lane < from[k + 1] ? factor[k] * vector[place[k]] : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
        for (unsigned i = from[k] + lane + 32; i < from[k + 1]; i += 32) {
            sum[k] += value[i] * vector[column[i]];
        }
    }
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
#pragma unroll
        for (int step = 16; step; step /= 2) {
            sum[k] += __shfl_xor_sync(~0u, sum[k], step);
        }
        if (lane == 0 && row + k < rows) {
            out[row + k] = sum[k];
        }
    }
}
