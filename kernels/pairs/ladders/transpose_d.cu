// transpose_d: out[x][y] = in[y][x], through a padded tile of 32 × 32, four rows a thread.
extern "C" __global__ void __launch_bounds__(256) transpose_d(float* __restrict__ out, const float* __restrict__ in, int rows, int columns)
{
    __shared__ float tile[32][33];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int i = 0; i < 32; i += 8) {
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * columns + x];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; i += 8) {
        out[(blockIdx.x * 32 + threadIdx.y + i) * rows + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + i];
    }
}
