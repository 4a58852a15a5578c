// column_scan_after: running sums down the columns of a matrix, a column to 32 threads: sums of 32 parts first, then each part from the sum before it.
extern "C" __global__ void __launch_bounds__(1024) column_scan_after(float* __restrict__ out, const float* __restrict__ in, int rows, int columns)
{
    __shared__ float part[32][33];
    const int lane = threadIdx.x & 31, y = threadIdx.x / 32, column = blockIdx.x * 32 + lane, length = rows / 32;
    const long long first = (long long)y * length * columns + column;
    float sum = 0.0f;
#pragma unroll 8
    for (int r = 0; r < length; ++r) {
        sum += in[first + (long long)r * columns];
    }
    part[y][lane] = sum;
    __syncthreads();
    float mine = part[lane][y];
    for (int d = 1; d < 32; d *= 2) {
        const float other = __shfl_up_sync(~0u, mine, d);
        mine += lane >= d ? other : 0.0f;
    }
    __syncthreads();
    part[lane][y] = mine;
    __syncthreads();
    sum = y > 0 ? part[y - 1][lane] : 0.0f;
#pragma unroll 8
    for (int r = 0; r < length; ++r) {
        sum += in[first + (long long)r * columns];
        out[first + (long long)r * columns] = sum;
    }
}
