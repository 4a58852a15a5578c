// cityblock_before: sums of absolute differences of all pairs of rows of two tables.
extern "C" __global__ void __launch_bounds__(256) cityblock_before(float* __restrict__ out, const float* __restrict__ a, const float* __restrict__ b, int rows, int columns, int depth)
{
    __shared__ float ta[16][17], tb[16][17];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16, column = blockIdx.x * 16;
    float sum = 0.0f;
    for (int k = 0; k < depth; k += 16) {
        ta[y][x] = a[(row + y) * depth + k + x];
        tb[y][x] = b[(column + y) * depth + k + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            sum += fabsf(ta[y][i] - tb[x][i]);
        }
        __syncthreads();
    }
    out[(long long)(row + y) * columns + column + x] = sum;
}
