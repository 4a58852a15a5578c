// bsr_product_after: a matrix of sparse blocks of 32 x 32 times a dense one.
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

#define STAGES 3

__device__ __forceinline__ void copy16(half* to, const half* from)
{
    const uint32_t a = (uint32_t)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(a), "l"(from) : "memory");
}

// A row of blocks and 128 columns to a block of four warps; copies run two steps ahead.
extern "C" __global__ void __launch_bounds__(128) bsr_product_after(float* __restrict__ out, const half* __restrict__ value, const unsigned int* __restrict__ place, const half* __restrict__ dense, int blocks, int columns)
{
    __shared__ __align__(32) half a[STAGES][EDGE][EDGE + 8];
    __shared__ __align__(32) half b[STAGES][EDGE][WIDE + 8];
    const int n0 = threadIdx.x / 32 * 32;
    const unsigned int* where = place + blockIdx.y * blocks;
    const half* left = value + (long long)blockIdx.y * blocks * EDGE * EDGE + threadIdx.x * 8;
    const half* right = dense + blockIdx.x * WIDE + (long long)(threadIdx.x / 16) * columns + threadIdx.x % 16 * 8;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            wmma::fill_fragment(sum[i][j], 0.0f);
        }
    }
    auto fetch = [&](int s) {
        if (s < blocks) {
            const int stage = s % STAGES;
            copy16(&a[stage][threadIdx.x / 4][threadIdx.x % 4 * 8], left + s * EDGE * EDGE);
            const half* from = right + (long long)where[s] * EDGE * columns;
#pragma unroll
            for (int r = 0; r < EDGE; r += 8) {
                copy16(&b[stage][threadIdx.x / 16 + r][threadIdx.x % 16 * 8], from + (long long)r * columns);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    fetch(1);
    for (int s = 0; s < blocks; ++s) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        fetch(s + 2);
        products(sum, a[s % STAGES], b[s % STAGES], n0);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            wmma::store_matrix_sync(out + (long long)(blockIdx.y * EDGE + i * 16) * columns + blockIdx.x * WIDE + n0 + j * 16, sum[i][j], columns, wmma::mem_row_major);
        }
    }
}
