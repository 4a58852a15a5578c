// pitch: "More bytes in flight: several independent loads before the first use, 16 bytes a lane". Rows of 1,025 floats lie one behind
// the other, so that three rows in four begin off a multiple of 16 bytes: no loads of 16 bytes without shifting.
#include "alt.cuh"
#include "original/pitch.cuh"

// ROWS rows a block, four loads of each before the first use.
template <int ROWS> __global__ void __launch_bounds__(256) rows_ahead(const float* __restrict__ x, const float* __restrict__ factor, float* __restrict__ out) {
    size_t row = (size_t)blockIdx.x * ROWS;
    float v[ROWS][4], f[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) f[r] = factor[row + r];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int k = 0; k < 4; k++) v[r][k] = x[(row + r) * 1025 + threadIdx.x + 256 * k];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int k = 0; k < 4; k++) out[(row + r) * 1056 + threadIdx.x + 256 * k] = v[r][k] * f[r];
    if (threadIdx.x < ROWS) out[(row + threadIdx.x) * 1056 + 1024] = x[(row + threadIdx.x) * 1025 + 1024] * factor[row + threadIdx.x];
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int rows = 32768;
    const size_t words = (size_t)rows * 1056;
    float *x = p.make<float>(words), *out = p.make<float>(words), *aligned = p.make<float>(words), *factor = p.make<float>(rows);
    auto fill = [&](uint32_t s) {
        p.uniform(x, words, s); p.uniform(factor, rows, s + 1);
        CK(cudaMemcpy2D(aligned, 1056 * 4, x, 1025 * 4, 1025 * 4, rows, cudaMemcpyDeviceToDevice));
    };
    // Words behind the rows are written by none.
    p.run("pitch", out, words, 1e-3f, 0, fill, {
        {"rows_packed", "before", [&] { rows_packed<<<rows, 256>>>(x, factor, out); }},
        {"rows_aligned", "made:align-base", [&] { rows_aligned<<<rows, 256>>>(aligned, factor, out); }},
        {"rows_ahead_1", "more-in-flight", [&] { rows_ahead<1><<<rows, 256>>>(x, factor, out); }},
        {"rows_ahead_2", "more-in-flight", [&] { rows_ahead<2><<<rows / 2, 256>>>(x, factor, out); }},
        {"rows_ahead_4", "more-in-flight", [&] { rows_ahead<4><<<rows / 4, 256>>>(x, factor, out); }},
    }, [&] { CK(cudaMemset(out, 0, words * 4)); });
}
