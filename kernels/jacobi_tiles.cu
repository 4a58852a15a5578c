// jacobi_tiles: 64 sweeps of Jacobi's method inside tiles of 32 x 32 whose halo stays as it is, as in a block smoother.
//
// Shows:      a five-point stencil in shared memory, two copies of the tile, four cells to a thread, a barrier each sweep.
// Limiter:    shared memory: four loads and a store for each cell are five wavefronts for 32 cells, where issue takes three cycles
//             on four schedulers; eight blocks cover each other's barriers.
// Lever:      keep the cells of a column in registers: rows above and below come from the thread itself, left and right by shuffles.
// Shape:      tiles = 16896 of 34 x 34 cells in, 32 x 32 out (75 MiB in, 66 MiB out).
// Launch:     grid 16896 x 1 x 1, block 32 x 8 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [tiles * 1024], const float* in [tiles * 1156], unsigned sweeps
// Result:     out == the inner cells after sweeps of next == a quarter of the sum of the four neighbours

__global__ void jacobi_tiles(float* __restrict__ out, const float* __restrict__ in, unsigned sweeps)
{
    __shared__ float cells[2][34][34];
    const unsigned x = threadIdx.x + 1u, thread = threadIdx.y * 32u + threadIdx.x;
    for (unsigned at = thread; at < 1156u; at += 256u) {
        const float value = in[blockIdx.x * 1156u + at];
        cells[0][at / 34u][at % 34u] = value;
        cells[1][at / 34u][at % 34u] = value;
    }
    for (unsigned sweep = 0; sweep < sweeps; ++sweep) {
        __syncthreads();
        const auto from = cells[sweep % 2u];
        const auto to = cells[(sweep + 1u) % 2u];
#pragma unroll
        for (unsigned row = 0; row < 32u; row += 8u) {
            const unsigned y = row + threadIdx.y + 1u;
            const float across = from[y][x - 1u] + from[y][x + 1u];  // limiter
            to[y][x] = 0.25f * (across + (from[y - 1u][x] + from[y + 1u][x]));
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned row = 0; row < 32u; row += 8u) {
        out[blockIdx.x * 1024u + (row + threadIdx.y) * 32u + threadIdx.x] = cells[sweeps % 2u][row + threadIdx.y + 1u][x];
    }
}
