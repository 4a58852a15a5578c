// hgemm_b: C = A · B of half, tiles of 128 × 128 in shared memory, 32 deep; a warp 64 × 32 by wmma.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void __launch_bounds__(256) x_hgemm_b_pad(float* __restrict__ c, const half* __restrict__ a, const half* __restrict__ b, int n)
{
    __shared__ __align__(128) half as[128][40];
    __shared__ __align__(128) half bs[32][136];
    const int tid = threadIdx.x, warp = tid / 32, wr = warp / 4 * 64, wc = warp % 4 * 32;
    const half* pa = a + (long long)blockIdx.y * 128 * n;
    const half* pb = b + blockIdx.x * 128;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][2];
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) {
            wmma::fill_fragment(sum[i][j], 0.f);
        }
    }
    for (int t = 0; t < n; t += 32) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int p = tid + i * 256;
            *reinterpret_cast<uint4*>(&as[p / 4][p % 4 * 8]) = *reinterpret_cast<const uint4*>(pa + (long long)(p / 4) * n + t + p % 4 * 8);
            *reinterpret_cast<uint4*>(&bs[p / 16][p % 16 * 8]) = *reinterpret_cast<const uint4*>(pb + (long long)(t + p / 16) * n + p % 16 * 8);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                wmma::load_matrix_sync(fa[i], &as[wr + i * 16][k], 40);
            }
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                wmma::load_matrix_sync(fb[j], &bs[k][wc + j * 16], 136);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 2; ++j) {
                    wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            wmma::store_matrix_sync(c + (long long)(blockIdx.y * 128 + wr + i * 16) * n + blockIdx.x * 128 + wc + j * 16, sum[i][j], n, wmma::mem_row_major);
        }
    }
}
