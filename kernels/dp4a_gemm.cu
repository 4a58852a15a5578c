// dp4a_gemm: product of 8-bit integers by __dp4a from shared memory, tiles of 64 x 64 x 64, sixteen sums to a thread.
//
// Shows:      rows of 16 words in shared memory, read 16 bytes a lane across the rows: sixteen columns of a warp meet in eight of
//             the 32 banks.
// Limiter:    bank conflicts of shared memory: eight turns for each load of b where two would do, 36 cycles for 64 products of a
//             warp; the products themselves take 32, so that little is to be gained without them.
// Lever:      rows of 20 words (-DPITCH=20 has them): no conflict, and loads stay 16 bytes wide; then the products limit.
// Shape:      m = n = k = 2048; a row-major, b column-major, both in words of four values.
// Launch:     grid 32 x 32 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  int* c [m * n], const int* a [m * k / 4], const int* b [n * k / 4], unsigned words (= k / 4)
// Result:     c[i][j] == sum over l of a[i][l] * b[j][l], values signed 8-bit integers

#ifndef PITCH
#define PITCH 16
#endif

__global__ void dp4a_gemm(int* __restrict__ c, const int* __restrict__ a, const int* __restrict__ b, unsigned words)
{
    __shared__ int left[64 * PITCH], right[64 * PITCH];
    const unsigned tx = threadIdx.x % 16u, ty = threadIdx.x / 16u;
    int sum[4][4] = {};
    for (unsigned first = 0; first < words; first += 16u) {
#pragma unroll
        for (unsigned i = 0; i < 64u; i += 16u) {
            left[(ty + i) * PITCH + tx] = a[(blockIdx.y * 64u + ty + i) * words + first + tx];
            right[(ty + i) * PITCH + tx] = b[(blockIdx.x * 64u + ty + i) * words + first + tx];
        }
        __syncthreads();
#pragma unroll 4
        for (unsigned k = 0; k < 16u; ++k) {
            int row[4], column[4];
#pragma unroll
            for (unsigned i = 0; i < 4u; ++i) {
                row[i] = left[(ty + 16u * i) * PITCH + k];
                column[i] = right[(tx + 16u * i) * PITCH + k];  // limiter
            }
#pragma unroll
            for (unsigned i = 0; i < 16u; ++i) {
                sum[i / 4u][i % 4u] = __dp4a(row[i / 4u], column[i % 4u], sum[i / 4u][i % 4u]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 16u; ++i) {
        c[(blockIdx.y * 64u + ty + i / 4u * 16u) * (gridDim.x * 64u) + blockIdx.x * 64u + tx + i % 4u * 16u] = sum[i / 4u][i % 4u];
    }
}
