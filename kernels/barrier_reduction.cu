// barrier_reduction: sums rows of 1024 floats with a block-wide barrier before each of ten halving steps.
//
// Shows:      warps that wait at __syncthreads: after the first step half of them have nothing to add, and all must meet.
// Limiter:    barrier stalls; the working warps are latency-bound between barriers.
// Shape:      rows = 67584 of 1024 floats (264 MiB); each block sums 256 rows.
// Launch:     grid 264 x 1 x 1, block 1024 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [rows], const float* in [rows * 1024], unsigned rows
// Result:     out[row] == sum of in[row * 1024 .. row * 1024 + 1023]

__global__ void barrier_reduction(float* __restrict__ out, const float* __restrict__ in, unsigned rows)
{
    __shared__ float partial[1024];
    for (unsigned row = blockIdx.x; row < rows; row += gridDim.x) {
        partial[threadIdx.x] = in[row * 1024u + threadIdx.x];
        for (unsigned half = 512u; half > 0u; half /= 2u) {
            __syncthreads();  // limiter
            if (threadIdx.x < half) {
                partial[threadIdx.x] += partial[threadIdx.x + half];
            }
        }
        if (threadIdx.x == 0u) {
            out[row] = partial[0];
        }
        __syncthreads();
    }
}
