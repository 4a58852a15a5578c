// bytemul_d: C = A · Bᵀ of INT8, tensor cores, tiles of 128 × 128 outputs, a warp to 64 × 32.
constexpr int Tile = 128, Step = 64, Pitch = 64;

__device__ __forceinline__ void product(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(256, 2) bytemul_d(int* __restrict__ c, const signed char* __restrict__ a, const signed char* __restrict__ b, int n, int k)
{
    __shared__ alignas(16) unsigned char left[Tile][Pitch], right[Tile][Pitch];
    const int t = threadIdx.x, warp = t / 32, group = t % 32 / 4, part = t % 4;
    const int down = warp / 4 * 64, across = warp % 4 * 32;
    const signed char* const rows = a + (long long)blockIdx.y * Tile * k;
    const signed char* const columns = b + (long long)blockIdx.x * Tile * k;
    int sum[4][4][4] = {};
    for (int k0 = 0; k0 < k; k0 += Step) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int at = t + i * 256, r = at / 4, w = at % 4 * 16;
            *reinterpret_cast<uint4*>(&left[r][w]) = *reinterpret_cast<const uint4*>(rows + r * k + k0 + w);
            *reinterpret_cast<uint4*>(&right[r][w]) = *reinterpret_cast<const uint4*>(columns + r * k + k0 + w);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < Step; i += 32) {
            unsigned l[4][4], r[4][2];
#pragma unroll
            for (int y = 0; y < 4; ++y) {
                const int at = down + y * 16 + group;
                l[y][0] = *reinterpret_cast<const unsigned*>(&left[at][i + part * 4]);
                l[y][1] = *reinterpret_cast<const unsigned*>(&left[at + 8][i + part * 4]);
                l[y][2] = *reinterpret_cast<const unsigned*>(&left[at][i + 16 + part * 4]);
                l[y][3] = *reinterpret_cast<const unsigned*>(&left[at + 8][i + 16 + part * 4]);
            }
#pragma unroll
            for (int x = 0; x < 4; ++x) {
                const int at = across + x * 8 + group;
                r[x][0] = *reinterpret_cast<const unsigned*>(&right[at][i + part * 4]);
                r[x][1] = *reinterpret_cast<const unsigned*>(&right[at][i + 16 + part * 4]);
            }
#pragma unroll
            for (int y = 0; y < 4; ++y) {
#pragma unroll
                for (int x = 0; x < 4; ++x) {
                    product(sum[y][x], l[y], r[x]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; ++y) {
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            int* const to = c + (long long)(blockIdx.y * Tile + down + y * 16 + group) * n + blockIdx.x * Tile + across + x * 8 + part * 2;
            *reinterpret_cast<int2*>(to) = make_int2(sum[y][x][0], sum[y][x][1]);
            *reinterpret_cast<int2*>(to + 8 * n) = make_int2(sum[y][x][2], sum[y][x][3]);
        }
    }
}
