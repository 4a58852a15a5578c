// hgemm_a: C = A · B of half, a warp a tile of 16 × 16, fragments straight from device memory.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void __launch_bounds__(128) hgemm_a(float* __restrict__ c, const half* __restrict__ a, const half* __restrict__ b, int n)
{
    const int warp = threadIdx.x / 32;
    const int row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + (long long)row * n + k, n);
        wmma::load_matrix_sync(fb, b + (long long)k * n + column, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + (long long)row * n + column, sum, n, wmma::mem_row_major);
}
