// tanimoto_d: likeness of molecules, bits two fingerprints of 1,024 bits share over the bits either has.
// Four by four pairs a thread, fingerprints of 64 x 64 pairs in shared memory, bits of each counted once.
extern "C" __global__ void __launch_bounds__(256) tanimoto_d(float* __restrict__ out, const unsigned int* __restrict__ query, const unsigned int* __restrict__ library, int molecules)
{
    __shared__ unsigned int left[64][33], right[64][33];
    __shared__ int left_bits[64], right_bits[64];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
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
    int both[4][4] = {};
#pragma unroll 8
    for (int w = 0; w < 32; ++w) {
        unsigned int a[4], b[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            a[k] = left[y + 16 * k][w];
            b[k] = right[x + 16 * k][w];
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                both[i][j] += __popc(a[i] & b[j]);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int row = y + 16 * i, column = x + 16 * j;
            out[(long long)(blockIdx.y * 64 + row) * molecules + blockIdx.x * 64 + column] = (float)both[i][j] / (float)(left_bits[row] + right_bits[column] - both[i][j]);
        }
    }
}
