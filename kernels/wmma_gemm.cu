// wmma_gemm: C = A·B in FP16 with sums in FP32 by the WMMA interface, tiles of 128 x 256 x 32, three stages filled by cp.async.
//
// Shows:      the tensor instructions of a single warp (mma.sync), 64 x 64 outputs to each of eight warps, rows of shared memory
//             padded by 16 bytes.
// Limiter:    the tensor cores: a warp has 32 products for eight loads of fragments, and HMMA reaches about 60 % of the rate that
//             a warpgroup's products have on this chip, which is what the pipe can show as busy.
// Lever:      the products of a warpgroup (wgmma), which take their operands from shared memory by themselves.
// Shape:      m = n = 4096, k = 2048, all row-major.
// Launch:     grid 16 x 32 x 1, block 256 x 1 x 1, dynamic shared memory 81408 bytes.
// Arguments:  float* c [m * n], const __half* a [m * k], const __half* b [k * n], unsigned n, unsigned k
// Result:     c[i][j] == sum over l of a[i][l] * b[l][j]

#include <mma.h>

using namespace nvcuda;

constexpr unsigned A_PITCH = 40u, B_PITCH = 264u, A_TILE = 128u * A_PITCH, STAGE = A_TILE + 32u * B_PITCH;

__device__ void copy16(__half* shared, const __half* global)
{
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(global));
}

__device__ void fill(__half* stage, const __half* a, const __half* b, unsigned n, unsigned k)
{
#pragma unroll
    for (unsigned at = threadIdx.x; at < 512u; at += 256u) {
        copy16(stage + at / 4u * A_PITCH + at % 4u * 8u, a + at / 4u * k + at % 4u * 8u);
    }
#pragma unroll
    for (unsigned at = threadIdx.x; at < 1024u; at += 256u) {
        copy16(stage + A_TILE + at / 32u * B_PITCH + at % 32u * 8u, b + at / 32u * n + at % 32u * 8u);
    }
}

__global__ void __launch_bounds__(256, 1)
    wmma_gemm(float* __restrict__ c, const __half* __restrict__ a, const __half* __restrict__ b, unsigned n, unsigned k)
{
    extern __shared__ __align__(16) __half stages[];
    const unsigned warp = threadIdx.x / 32u, row = warp / 4u * 64u, column = warp % 4u * 64u;
    const __half* from_a = a + blockIdx.y * 128u * k;
    const __half* from_b = b + blockIdx.x * 256u;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][4];
    for (unsigned i = 0; i < 16u; ++i) {
        wmma::fill_fragment(sum[i / 4u][i % 4u], 0.0f);
    }
    const unsigned steps = k / 32u;
    for (unsigned step = 0; step < 2u; ++step) {
        fill(stages + step * STAGE, from_a + step * 32u, from_b + step * 32u * n, n, k);
        asm volatile("cp.async.commit_group;");
    }
    for (unsigned step = 0; step < steps; ++step) {
        asm volatile("cp.async.wait_group 1;");
        __syncthreads();
        if (step + 2u < steps) {
            fill(stages + (step + 2u) % 3u * STAGE, from_a + (step + 2u) * 32u, from_b + (step + 2u) * 32u * n, n, k);
        }
        asm volatile("cp.async.commit_group;");
        const __half* stage = stages + step % 3u * STAGE;
#pragma unroll
        for (unsigned l = 0; l < 32u; l += 16u) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right[4];
#pragma unroll
            for (unsigned i = 0; i < 4u; ++i) {
                wmma::load_matrix_sync(left[i], stage + (row + 16u * i) * A_PITCH + l, A_PITCH);
                wmma::load_matrix_sync(right[i], stage + A_TILE + l * B_PITCH + column + 16u * i, B_PITCH);
            }
#pragma unroll
            for (unsigned i = 0; i < 16u; ++i) {
                wmma::mma_sync(sum[i / 4u][i % 4u], left[i / 4u], right[i % 4u], sum[i / 4u][i % 4u]);  // limiter
            }
        }
    }
#pragma unroll
    for (unsigned i = 0; i < 16u; ++i) {
        float* to = c + (blockIdx.y * 128u + row + i / 4u * 16u) * n + blockIdx.x * 256u + column + i % 4u * 16u;
        wmma::store_matrix_sync(to, sum[i / 4u][i % 4u], n, wmma::mem_row_major);
    }
}
