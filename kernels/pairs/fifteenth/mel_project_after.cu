// mel_project_after: power spectra of frames projected on 64 mel bands.
#include <cuda_fp16.h>
#include <mma.h>

#define BINS 256
#define BANDS 64

using namespace nvcuda;

// Sixteen frames a warp, all bands.
extern "C" __global__ void __launch_bounds__(256) mel_project_after(float* __restrict__ out, const half* __restrict__ power, const half* __restrict__ mel, int frames)
{
    const int frame = (blockIdx.x * 8 + threadIdx.x / 32) * 16;
    if (frame >= frames) {
        return;
    }
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        wmma::fill_fragment(sum[j], 0.0f);
    }
#pragma unroll 4
    for (int k = 0; k < BINS; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::load_matrix_sync(a, power + (long long)frame * BINS + k, BINS);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
            wmma::load_matrix_sync(b, mel + k * BANDS + j * 16, BANDS);
            wmma::mma_sync(sum[j], a, b, sum[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        wmma::store_matrix_sync(out + (long long)frame * BANDS + j * 16, sum[j], BANDS, wmma::mem_row_major);
    }
}
