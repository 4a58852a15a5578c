// bytemul_c: C = A · Bᵀ of INT8, tiles of 64 × 64 outputs, a thread to 4 × 4, four products an instruction.
constexpr int Tile = 64, Step = 16, Pitch = Tile + 4;

extern "C" __global__ void __launch_bounds__(256) bytemul_c(int* __restrict__ c, const signed char* __restrict__ a, const signed char* __restrict__ b, int n, int k)
{
    __shared__ alignas(16) int left[Step][Pitch], right[Step][Pitch];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const int* const aw = reinterpret_cast<const int*>(a) + (long long)blockIdx.y * Tile * (k / 4);
    const int* const bw = reinterpret_cast<const int*>(b) + (long long)blockIdx.x * Tile * (k / 4);
    const int words = k / 4;
    int sum[4][4] = {};
    for (int k0 = 0; k0 < words; k0 += Step) {
#pragma unroll
        for (int i = 0; i < Tile * Step / 256; ++i) {
            const int at = t + i * 256, r = at / Step, w = at % Step;
            left[w][r] = aw[r * words + k0 + w];
            right[w][r] = bw[r * words + k0 + w];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < Step; ++i) {
            const int4 u = *reinterpret_cast<const int4*>(&left[i][ty * 4]);
            const int4 v = *reinterpret_cast<const int4*>(&right[i][tx * 4]);
            const int l[4] = {u.x, u.y, u.z, u.w}, r[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int y = 0; y < 4; ++y) {
#pragma unroll
                for (int x = 0; x < 4; ++x) {
                    sum[y][x] = __dp4a(l[y], r[x], sum[y][x]);
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
