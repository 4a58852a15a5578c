// transpose_padded: transposes a matrix through a shared-memory tile whose rows are padded by one float.
//
// Shows:      the cure for transpose_tiled: same work, same launch, no bank conflicts.
// Limiter:    device memory bandwidth.
// Shape:      size = 8192; both matrices size x size floats, row-major (256 MiB each).
// Launch:     grid 256 x 256 x 1, block 32 x 8 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [size * size], const float* in [size * size], unsigned size
// Result:     out[x * size + y] == in[y * size + x]

__global__ void transpose_padded(float* __restrict__ out, const float* __restrict__ in, unsigned size)
{
    __shared__ float tile[32][33];
    const unsigned x = blockIdx.x * 32u + threadIdx.x;
    const unsigned y = blockIdx.y * 32u + threadIdx.y;
#pragma unroll
    for (unsigned row = 0; row < 32u; row += 8u) {
        const float value = in[(y + row) * size + x];  // limiter
        tile[threadIdx.y + row][threadIdx.x] = value;
    }
    __syncthreads();
    const unsigned across = blockIdx.y * 32u + threadIdx.x;
    const unsigned down = blockIdx.x * 32u + threadIdx.y;
#pragma unroll
    for (unsigned row = 0; row < 32u; row += 8u) {
        out[(down + row) * size + across] = tile[threadIdx.x][threadIdx.y + row];
    }
}
