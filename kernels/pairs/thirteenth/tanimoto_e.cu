// tanimoto_e: likeness of molecules, bits two fingerprints of 1,024 bits share over the bits either has.
__device__ __forceinline__ void multiply(int (&d)[4], const unsigned int (&a)[4], const unsigned int (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Eight warps of 32 x 16 pairs on the tensor cores, fingerprints of 64 x 64 pairs in shared memory, bits of each counted once.
extern "C" __global__ void __launch_bounds__(256) tanimoto_e(float* __restrict__ out, const unsigned int* __restrict__ query, const unsigned int* __restrict__ library, int molecules)
{
    __shared__ unsigned int left[64][36], right[64][36];
    __shared__ int left_bits[64], right_bits[64];
    for (int i = threadIdx.x; i < 64 * 32; i += 256) {
        left[i / 32][i % 32] = query[blockIdx.y * 64 * 32 + i];
        right[i / 32][i % 32] = library[blockIdx.x * 64 * 32 + i];
    }
    __syncthreads();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int r = warp; r < 64; r += 8) {
        const int in_left = __reduce_add_sync(0xffffffffu, __popc(left[r][lane]));
        const int in_right = __reduce_add_sync(0xffffffffu, __popc(right[r][lane]));
        if (lane == 0) {
            left_bits[r] = in_left;
            right_bits[r] = in_right;
        }
    }
    __syncthreads();
    const int m0 = warp % 2 * 32, n0 = warp / 2 * 16;
    const int g = lane / 4, q = lane % 4;
    int both[2][2][4] = {};
#pragma unroll
    for (int w = 0; w < 32; w += 8) {
        unsigned int a[2][4], b[2][2];
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            a[k][0] = left[m0 + 16 * k + g][w + q];
            a[k][1] = left[m0 + 16 * k + g + 8][w + q];
            a[k][2] = left[m0 + 16 * k + g][w + q + 4];
            a[k][3] = left[m0 + 16 * k + g + 8][w + q + 4];
            b[k][0] = right[n0 + 8 * k + g][w + q];
            b[k][1] = right[n0 + 8 * k + g][w + q + 4];
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                multiply(both[i][j], a[i], b[j]);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const int row = m0 + 16 * i + g + 8 * h, column = n0 + 8 * j + 2 * q;
                const int c0 = both[i][j][2 * h], c1 = both[i][j][2 * h + 1];
                const float2 v = make_float2((float)c0 / (float)(left_bits[row] + right_bits[column] - c0),
                                             (float)c1 / (float)(left_bits[row] + right_bits[column + 1] - c1));
                *(float2*)&out[(long long)(blockIdx.y * 64 + row) * molecules + blockIdx.x * 64 + column] = v;
            }
        }
    }
}
