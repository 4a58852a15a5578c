// transpose_c: out[x][y] = in[y][x], through a tile of 32 × 32 in shared memory, one column wider.
extern "C" __global__ void __launch_bounds__(1024) transpose_c(float* __restrict__ out, const float* __restrict__ in, int rows, int columns)
{
    __shared__ float tile[32][33];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * rows + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
