// block_scaled_gemm: a warp to an output, values and scales by table and by exp2, sums in double precision; grid 8192 * 8192 / 8, block
// 256. VECTOR gives the format. Nothing clever: what kernels of this folder's parent are checked against.

#include <cstdint>
#include <cuda_fp16.h>

constexpr unsigned Columns = 8192, Depth = 1024;

__device__ double value(const uint8_t* matrix, size_t row, unsigned k)
{
    const double magnitude[8] = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
    const unsigned code = matrix[row * (Depth / 2) + k / 2] >> 4u * (k % 2u) & 15u;
    return code < 8u ? magnitude[code] : -magnitude[code - 8u];
}

__device__ double scale(const uint8_t* scales, size_t row, unsigned k)
{
    const unsigned s = k / VECTOR, inner = row % 128;
    const unsigned code = scales[(row / 128 * (Depth / VECTOR / 4) + s / 4) * 512 + inner % 32 * 16 + inner / 32 * 4 + s % 4];
#if VECTOR == 16
    const int exponent = static_cast<int>(code / 8u % 16u);
    const double mantissa = code % 8u / 8.0;
    return exponent == 0 ? mantissa * exp2(-6.0) : (1.0 + mantissa) * exp2(exponent - 7.0);
#else
    return exp2(static_cast<double>(code) - 127.0);
#endif
}

__global__ void block_scaled_gemm_double(__half* out, const uint8_t* a, const uint8_t* b, const uint8_t* a_scale, const uint8_t* b_scale)
{
    const size_t at = size_t(blockIdx.x) * 8u + threadIdx.x / 32u, row = at / Columns, column = at % Columns;
    double sum = 0.0;
    for (unsigned k = threadIdx.x % 32u; k < Depth; k += 32u) {
        sum += value(a, row, k) * scale(a_scale, row, k) * value(b, column, k) * scale(b_scale, column, k);
    }
    for (unsigned step = 16; step > 0u; step /= 2u) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    }
    if (threadIdx.x % 32u == 0u) {
        out[at] = __double2half(sum);
    }
}
