// tiny_grid: sums columns with 8 blocks on a chip of more than a hundred multiprocessors.
//
// Shows:      a grid smaller than the chip: a small part of one wave, most multiprocessors idle.
// Limiter:    parallelism, which the launch decides and no line of the kernel; the loads of the few resident warps are latency-bound.
// Shape:      in is 2048 rows of 2048 floats, row-major (16 MiB).
// Launch:     grid 8 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [2048], const float* in [rows * 2048], unsigned rows
// Result:     out[column] == sum over row of in[row * 2048 + column]

__global__ void tiny_grid(float* __restrict__ out, const float* __restrict__ in, unsigned rows)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (unsigned row = 0; row < rows; ++row) {
        sum += in[row * 2048u + column];
    }
    out[column] = sum;
}
