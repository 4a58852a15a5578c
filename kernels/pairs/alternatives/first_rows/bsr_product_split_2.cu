// bsr_product_split_2: a matrix of sparse blocks of 32 x 32 times a dense one, two groups of four warps to a block that share the turns.
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdint>

#define EDGE 32
#define WIDE 128

using namespace nvcuda;

__device__ __forceinline__ void products(wmma::fragment<wmma::accumulator, 16, 16, 16, float> (&sum)[2][2], const half (*a)[EDGE + 8], const half (*b)[WIDE + 8], int n0)
{
#pragma unroll
    for (int k = 0; k < EDGE; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            wmma::load_matrix_sync(fa[i], &a[i * 16][k], EDGE + 8);
            wmma::load_matrix_sync(fb[i], &b[k][n0 + i * 16], WIDE + 8);
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
            }
        }
    }
}

// A row of blocks and 128 columns to a block of two groups of four warps, each with half of the turns.
extern "C" __global__ void __launch_bounds__(256) bsr_product_split_2(float* __restrict__ out, const half* __restrict__ value, const unsigned int* __restrict__ place, const half* __restrict__ dense, int blocks, int columns)
{
    __shared__ __align__(32) half a[2][EDGE][EDGE + 8];
    __shared__ __align__(32) half b[2][EDGE][WIDE + 8];
    __shared__ __align__(32) float other[4][4][256];
    const int t = threadIdx.x % 128, own = threadIdx.x / 128, n0 = t / 32 * 32;
    const unsigned int* where = place + blockIdx.y * blocks;
    const half* left = value + (long long)blockIdx.y * blocks * EDGE * EDGE + t * 8;
    const half* right = dense + blockIdx.x * WIDE + (long long)(t / 16) * columns + t % 16 * 8;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            wmma::fill_fragment(sum[i][j], 0.0f);
        }
    }
    for (int s = own; s < blocks; s += 2) {
        *(uint4*)&a[own][t / 4][t % 4 * 8] = *(const uint4*)(left + s * EDGE * EDGE);
        const half* from = right + (long long)where[s] * EDGE * columns;
#pragma unroll
        for (int r = 0; r < EDGE; r += 8) {
            *(uint4*)&b[own][t / 16 + r][t % 16 * 8] = *(const uint4*)(from + (long long)r * columns);
        }
        __syncthreads();
        products(sum, a[own], b[own], n0);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4 && own == 1; ++i) {
        wmma::store_matrix_sync(other[t / 32][i], sum[i / 2][i % 2], 16, wmma::mem_row_major);
    }
    __syncthreads();
    if (own == 1) {
        return;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> more;
            wmma::load_matrix_sync(more, other[t / 32][i * 2 + j], 16, wmma::mem_row_major);
            for (int e = 0; e < more.num_elements; ++e) {
                sum[i][j].x[e] += more.x[e];
            }
            wmma::store_matrix_sync(out + (long long)(blockIdx.y * EDGE + i * 16) * columns + blockIdx.x * WIDE + n0 + j * 16, sum[i][j], columns, wmma::mem_row_major);
        }
    }
}
