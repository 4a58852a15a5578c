// bytemul_a_tile_bytes: C = A · Bᵀ of INT8, tiles of 64 × 64 outputs, a thread to 4 × 4 outputs 16 apart, operands read from shared memory byte by byte.
constexpr int Tile = 64, Step = 32;

extern "C" __global__ void __launch_bounds__(256) bytemul_a_tile_bytes(int* __restrict__ c, const signed char* __restrict__ a, const signed char* __restrict__ b, int n, int k)
{
    __shared__ signed char left[Step][Tile + 4], right[Step][Tile + 4];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const signed char* const rows = a + (long long)blockIdx.y * Tile * k;
    const signed char* const columns = b + (long long)blockIdx.x * Tile * k;
    int sum[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += Step) {
#pragma unroll
        for (int i = 0; i < Tile * Step / 256; ++i) {
            const int at = t + i * 256, r = at / Step, w = at % Step;
            left[w][r] = rows[r * k + k0 + w];
            right[w][r] = columns[r * k + k0 + w];
        }
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < Step; ++i) {
            int l[4], r[4];
#pragma unroll
            for (int h = 0; h < 4; ++h) {
                l[h] = left[i][ty + 16 * h];
                r[h] = right[i][tx + 16 * h];
            }
#pragma unroll
            for (int y = 0; y < 4; ++y) {
#pragma unroll
                for (int x = 0; x < 4; ++x) {
                    sum[y][x] += l[y] * r[x];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; ++y) {
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            c[(long long)(blockIdx.y * Tile + ty + 16 * y) * n + blockIdx.x * Tile + tx + 16 * x] = sum[y][x];
        }
    }
}
