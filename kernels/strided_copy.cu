// strided_copy: gathers a matrix of 32 columns column by column.
//
// Shows:      uncoalesced global loads. The lanes of a warp read 32 different 128-byte lines, one float of each,
//             so a request moves 32 sectors where 4 would hold the data.
// Limiter:    device memory and L2 traffic that the load wastes (8 times the ideal sectors).
// Shape:      in is rows x 32 floats, row-major; rows = 2097152 (256 MiB in, 256 MiB out).
// Launch:     grid 262144 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [rows * 32], const float* in [rows * 32], unsigned rows
// Result:     out[column * rows + row] == in[row * 32 + column]

__global__ void strided_copy(float* __restrict__ out, const float* __restrict__ in, unsigned rows)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned column = index / rows;
    const unsigned row = index % rows;
    const float value = in[row * 32u + column];  // limiter
    out[index] = value;
}
