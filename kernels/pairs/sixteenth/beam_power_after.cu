// beam_power_after: power of 64 beams from the samples of 64 antennas, complex, planes of real and imaginary halves.
#include <cuda_fp16.h>
#include <mma.h>

#define ANTENNAS 64
#define WIDE 64

using namespace nvcuda;

// A block to 64 samples, a warp to 16 beams, on the tensor cores.
extern "C" __global__ void __launch_bounds__(128) beam_power_after(float* __restrict__ out, const half* __restrict__ weight_re, const half* __restrict__ weight_im, const half* __restrict__ sample_re, const half* __restrict__ sample_im, int samples)
{
    __shared__ __align__(32) half x[2][ANTENNAS][WIDE + 8];
    const int first = blockIdx.x * WIDE, beam = threadIdx.x / 32 * 16;
#pragma unroll
    for (int i = threadIdx.x; i < ANTENNAS * WIDE / 8; i += 128) {
        const int a = i / (WIDE / 8), c = i % (WIDE / 8) * 8;
        *(uint4*)&x[0][a][c] = *(const uint4*)(sample_re + a * samples + first + c);
        *(uint4*)&x[1][a][c] = *(const uint4*)(sample_im + a * samples + first + c);
    }
    __syncthreads();
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> re[4], im[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        wmma::fill_fragment(re[j], 0.0f);
        wmma::fill_fragment(im[j], 0.0f);
    }
#pragma unroll
    for (int k = 0; k < ANTENNAS; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> wr, wi, minus;
        wmma::load_matrix_sync(wr, weight_re + beam * ANTENNAS + k, ANTENNAS);
        wmma::load_matrix_sync(wi, weight_im + beam * ANTENNAS + k, ANTENNAS);
#pragma unroll
        for (int e = 0; e < minus.num_elements; ++e) {
            minus.x[e] = __hneg(wi.x[e]);
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> xr, xi;
            wmma::load_matrix_sync(xr, &x[0][k][j * 16], WIDE + 8);
            wmma::load_matrix_sync(xi, &x[1][k][j * 16], WIDE + 8);
            wmma::mma_sync(re[j], wr, xr, re[j]);
            wmma::mma_sync(re[j], minus, xi, re[j]);
            wmma::mma_sync(im[j], wr, xi, im[j]);
            wmma::mma_sync(im[j], wi, xr, im[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int e = 0; e < re[j].num_elements; ++e) {
            re[j].x[e] = re[j].x[e] * re[j].x[e] + im[j].x[e] * im[j].x[e];
        }
        wmma::store_matrix_sync(out + beam * samples + first + j * 16, re[j], samples, wmma::mem_row_major);
    }
}
