// transpose_naive: transposes a matrix with coalesced loads and strided stores.
//
// Shows:      uncoalesced global stores: the lanes of a warp write 32 different rows, one float of each.
// Limiter:    L2 and L1 store traffic (32 sectors per request where 4 would do).
// Shape:      size = 8192; both matrices size x size floats, row-major (256 MiB each).
// Launch:     grid 256 x 256 x 1, block 32 x 8 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [size * size], const float* in [size * size], unsigned size
// Result:     out[x * size + y] == in[y * size + x]

__global__ void transpose_naive(float* __restrict__ out, const float* __restrict__ in, unsigned size)
{
    const unsigned x = blockIdx.x * 32u + threadIdx.x;
    const unsigned y = blockIdx.y * 32u + threadIdx.y;
#pragma unroll
    for (unsigned row = 0; row < 32u; row += 8u) {
        const float value = in[(y + row) * size + x];
        out[x * size + (y + row)] = value;  // limiter
    }
}
