// cityblock_after: sums of absolute differences of all pairs of rows of two tables.
extern "C" __global__ void __launch_bounds__(256) cityblock_after(float* __restrict__ out, const float* __restrict__ a, const float* __restrict__ b, int rows, int columns, int depth)
{
    __shared__ float ta[64][17], tb[64][17];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < depth; k += 16) {
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            ta[y + 16 * r][x] = a[(row + y + 16 * r) * depth + k + x];
            tb[y + 16 * r][x] = b[(column + y + 16 * r) * depth + k + x];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            float u[4], v[4];
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                u[r] = ta[y + 16 * r][i];
                v[r] = tb[x + 16 * r][i];
            }
#pragma unroll
            for (int r = 0; r < 4; ++r) {
#pragma unroll
                for (int c = 0; c < 4; ++c) {
                    sum[r][c] += fabsf(u[r] - v[c]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            out[(long long)(row + y + 16 * r) * columns + column + x + 16 * c] = sum[r][c];
        }
    }
}
