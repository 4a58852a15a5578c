// transpose_a: out[x][y] = in[y][x], a thread an element.
extern "C" __global__ void __launch_bounds__(256) x_transpose_a_8(float* __restrict__ out, const float* __restrict__ in, int rows, int columns)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * rows + y] = in[y * columns + x];
}
