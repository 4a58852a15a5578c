// bytemul_a_tile_fours: C = A · Bᵀ of INT8, tiles of 64 × 64 outputs, a thread to 4 × 4 outputs side by side, four bytes of an operand a load, multiplied one by one.
constexpr int Tile = 64, Step = 32;

extern "C" __global__ void __launch_bounds__(256) bytemul_a_tile_fours(int* __restrict__ c, const signed char* __restrict__ a, const signed char* __restrict__ b, int n, int k)
{
    __shared__ alignas(16) signed char left[Step][Tile + 4], right[Step][Tile + 4];
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
            const char4 u = *reinterpret_cast<const char4*>(&left[i][4 * ty]), v = *reinterpret_cast<const char4*>(&right[i][4 * tx]);
            const int l[4] = {u.x, u.y, u.z, u.w}, r[4] = {v.x, v.y, v.z, v.w};
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
        *reinterpret_cast<int4*>(c + (long long)(blockIdx.y * Tile + ty * 4 + y) * n + blockIdx.x * Tile + tx * 4) = make_int4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
    }
}
