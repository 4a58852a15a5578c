// dp4a_tensor: product of 8-bit integers by mma.sync m16n8k32, tiles of 128 x 128 x 64, 64 x 32 to a warp.
extern "C" __global__ void __launch_bounds__(256, 2) dp4a_tensor(int* __restrict__ c, const int* __restrict__ a, const int* __restrict__ b, unsigned words)
{
    __shared__ int4 left[128 * 5], right[128 * 5];
    const int *x = reinterpret_cast<const int*>(left), *y = reinterpret_cast<const int*>(right);
    const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, g = lane / 4u, q = lane % 4u;
    const unsigned top = warp / 4u * 64u, side = warp % 4u * 32u;
    int sum[4][4][4] = {};
    for (unsigned first = 0; first < words; first += 16u) {
#pragma unroll
        for (unsigned i = 0; i < 2u; ++i) {
            const unsigned row = threadIdx.x / 4u + 64u * i, quad = threadIdx.x % 4u;
            left[row * 5u + quad] = *reinterpret_cast<const int4*>(a + (blockIdx.y * 128u + row) * words + first + 4u * quad);
            right[row * 5u + quad] = *reinterpret_cast<const int4*>(b + (blockIdx.x * 128u + row) * words + first + 4u * quad);
        }
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < 16u; k += 8u) {
            int p[4][4], r[4][2];
#pragma unroll
            for (unsigned i = 0; i < 4u; ++i) {
                const int* row = x + (top + 16u * i + g) * 20u + k + q;
                p[i][0] = row[0];
                p[i][1] = row[160];
                p[i][2] = row[4];
                p[i][3] = row[164];
                const int* column = y + (side + 8u * i + g) * 20u + k + q;
                r[i][0] = column[0];
                r[i][1] = column[4];
            }
#pragma unroll
            for (unsigned i = 0; i < 4u; ++i) {
#pragma unroll
                for (unsigned j = 0; j < 4u; ++j) {
                    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                        : "+r"(sum[i][j][0]), "+r"(sum[i][j][1]), "+r"(sum[i][j][2]), "+r"(sum[i][j][3])
                        : "r"(p[i][0]), "r"(p[i][1]), "r"(p[i][2]), "r"(p[i][3]), "r"(r[j][0]), "r"(r[j][1]));
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 4u; ++i) {
#pragma unroll
        for (unsigned j = 0; j < 4u; ++j) {
            int* to = c + (blockIdx.y * 128u + top + 16u * i + g) * (gridDim.x * 128u) + blockIdx.x * 128u + side + 8u * j + 2u * q;
            *reinterpret_cast<int2*>(to) = make_int2(sum[i][j][0], sum[i][j][1]);
            *reinterpret_cast<int2*>(to + 8u * (gridDim.x * 128u)) = make_int2(sum[i][j][2], sum[i][j][3]);
        }
    }
}
