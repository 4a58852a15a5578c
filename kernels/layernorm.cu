// layernorm: normalises 128 rows of 32768 floats, one block of 256 threads to a row, in three passes over the row.
//
// Shows:      a grid of about one small block per SM: 8 warps where 64 fit, and each loads 4 bytes a lane.
// Limiter:    too few warps for the latency of memory: blocks are missing, not room for them.
// Lever:      more threads to a row (1024 or several blocks), or 16-byte loads; no unit is busy.
// Shape:      rows = 128, columns = 32768 (16 MiB).
// Launch:     grid 128 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [rows * columns], const float* in [rows * columns], const float* gain [columns],
//             const float* shift [columns], unsigned columns, float epsilon   (epsilon = 1e-5)
// Result:     out[r][c] == (in[r][c] - mean) / sqrt(variance + epsilon) * gain[c] + shift[c], mean and variance of row r

__device__ float sum_of_block(float value, float* partial)
{
#pragma unroll
    for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    __syncthreads();
    if (threadIdx.x % 32u == 0u) {
        partial[threadIdx.x / 32u] = value;
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (unsigned warp = 0; warp < 8u; ++warp) {
        sum += partial[warp];
    }
    return sum;
}

__global__ void layernorm(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ gain,
                          const float* __restrict__ shift, unsigned columns, float epsilon)
{
    __shared__ float partial[8];
    const float* row = in + blockIdx.x * columns;
    float sum = 0.0f;
    for (unsigned column = threadIdx.x; column < columns; column += 256u) {
        sum += row[column];
    }
    const float mean = sum_of_block(sum, partial) / static_cast<float>(columns);
    float squares = 0.0f;
    for (unsigned column = threadIdx.x; column < columns; column += 256u) {
        const float distance = row[column] - mean;
        squares += distance * distance;
    }
    const float scale = rsqrtf(sum_of_block(squares, partial) / static_cast<float>(columns) + epsilon);
    for (unsigned column = threadIdx.x; column < columns; column += 256u) {
        out[blockIdx.x * columns + column] = (row[column] - mean) * scale * gain[column] + shift[column];
    }
}
