// ann_scores_after: inner products of queries with the vectors of a database, both in halves.
#include <mma.h>

#define DEPTH 32

using namespace nvcuda;

// Tiles of 64 x 64, eight warps of 16 x 32 on the tensor cores.
extern "C" __global__ void __launch_bounds__(256) ann_scores_after(float* __restrict__ out, const half* __restrict__ query, const half* __restrict__ base, int vectors, int depth)
{
    __shared__ __align__(16) half a[64][DEPTH + 8];
    __shared__ __align__(16) half b[64][DEPTH + 8];
    const int row = threadIdx.x / 4, eight = threadIdx.x % 4 * 8;
    const int warp = threadIdx.x / 32;
    const int m0 = warp % 4 * 16, n0 = warp / 4 * 32;
    const half* left = query + (long long)(blockIdx.y * 64 + row) * depth + eight;
    const half* right = base + (long long)(blockIdx.x * 64 + row) * depth + eight;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2];
    wmma::fill_fragment(sum[0], 0.0f);
    wmma::fill_fragment(sum[1], 0.0f);
    for (int k0 = 0; k0 < depth; k0 += DEPTH) {
        *(uint4*)&a[row][eight] = *(const uint4*)(left + k0);
        *(uint4*)&b[row][eight] = *(const uint4*)(right + k0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
            wmma::load_matrix_sync(fa, &a[m0][k], DEPTH + 8);
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
                wmma::load_matrix_sync(fb, &b[n0 + 16 * j][k], DEPTH + 8);
                wmma::mma_sync(sum[j], fa, fb, sum[j]);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 2; ++j) {
        wmma::store_matrix_sync(&out[(long long)(blockIdx.y * 64 + m0) * vectors + blockIdx.x * 64 + n0 + 16 * j], sum[j], vectors, wmma::mem_row_major);
    }
}
