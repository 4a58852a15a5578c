// transpose_tiled: transposes a matrix through a 32 x 32 shared-memory tile without padding.
//
// Shows:      shared-memory bank conflicts: a column of the tile lies in one bank, so its load takes 32 wavefronts.
// Limiter:    shared memory (L1/TEX data stage); global accesses are coalesced.
// Shape:      size = 8192; both matrices size x size floats, row-major (256 MiB each).
// Launch:     grid 256 x 256 x 1, block 32 x 8 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [size * size], const float* in [size * size], unsigned size
// Result:     out[x * size + y] == in[y * size + x]

__global__ void transpose_tiled(float* __restrict__ out, const float* __restrict__ in, unsigned size)
{
    __shared__ float tile[32][32];
    const unsigned x = blockIdx.x * 32u + threadIdx.x;
    const unsigned y = blockIdx.y * 32u + threadIdx.y;
#pragma unroll
    for (unsigned row = 0; row < 32u; row += 8u) {
        tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * size + x];
    }
    __syncthreads();
    const unsigned across = blockIdx.y * 32u + threadIdx.x;
    const unsigned down = blockIdx.x * 32u + threadIdx.y;
#pragma unroll
    for (unsigned row = 0; row < 32u; row += 8u) {
        const float value = tile[threadIdx.x][threadIdx.y + row];  // limiter
        out[(down + row) * size + across] = value;
    }
}
