// block_scaled_gemm_ref: the block-scaled FP4 product as plain as it can be, for any chip: the judge of block_scaled_gemm, and itself
// checked against a second reading of the formats (reference/block_scaled_gemm.cu).
//
// Shows:      a thread to an output; E2M1 values, E8M0 and UE4M3 scales taken apart bit by bit.
// Limiter:    integer instructions of the decoding (it is expected to take thousands of times as long as the tensor cores).
// Variants:   -DVECTOR=16: NVFP4, UE4M3 scales of 16 values; -DVECTOR=32: MXFP4, E8M0 scales of 32 values.
// Shape:      that of block_scaled_gemm: a 8192 x 1024, b 8192 x 1024 (row n holds output column n), E2M1, two to a byte; scales in tiles
//             of 128 rows by 4; out 8192 x 8192 FP16
// Launch:     grid 32 x 8192 x 1, block 256 x 1 x 1.
// Arguments:  __half* out, const uint8_t* a, const uint8_t* b, const uint8_t* a_scale, const uint8_t* b_scale
// Result:     out[m * 8192 + n] == fp16(sum over k of a[m][k] * a_scale[m][k / VECTOR] * b[n][k] * b_scale[n][k / VECTOR])

#include <cstdint>
#include <cuda_fp16.h>

namespace {

constexpr unsigned Columns = 8192, Depth = 1024, Scales = Depth / VECTOR;

// A value of E2M1 times two: 0, 1, 2, 3, 4, 6, 8, 12.
__device__ __forceinline__ int twice(unsigned code)
{
    const unsigned exponent = code >> 1 & 3u, mantissa = code & 1u;
    const int magnitude = exponent == 0u ? static_cast<int>(mantissa) : static_cast<int>((2u | mantissa) << (exponent - 1u));
    return code & 8u ? -magnitude : magnitude;
}

__device__ __forceinline__ float scale_of(const uint8_t* scales, unsigned row, unsigned s)
{
    const unsigned code = scales[(row / 128u * (Scales / 4u) + s / 4u) * 512u + row % 32u * 16u + row % 128u / 32u * 4u + s % 4u];
#if VECTOR == 16
    // UE4M3: four bits of exponent with a bias of 7, three of mantissa; below the least exponent a multiple of 2^-9.
    const unsigned exponent = code >> 3 & 15u, mantissa = code & 7u;
    return exponent == 0u ? static_cast<float>(mantissa) * 0x1p-9f : __uint_as_float((exponent + 120u) << 23 | mantissa << 20);
#else
    return code == 0u ? 0x1p-127f : __uint_as_float(code << 23);
#endif
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
block_scaled_gemm_ref(__half* __restrict__ out, const uint8_t* __restrict__ a, const uint8_t* __restrict__ b,
                      const uint8_t* __restrict__ a_scale, const uint8_t* __restrict__ b_scale)
{
    const unsigned column = blockIdx.x * 256u + threadIdx.x, row = blockIdx.y;
    float sum = 0.0f;
    for (unsigned s = 0; s < Scales; ++s) {
        int part = 0;
#pragma unroll
        for (unsigned byte = 0; byte < VECTOR / 2u; ++byte) {
            const unsigned left = a[row * (Depth / 2u) + s * (VECTOR / 2u) + byte], right = b[column * (Depth / 2u) + s * (VECTOR / 2u) + byte];
            part += twice(left & 15u) * twice(right & 15u) + twice(left >> 4) * twice(right >> 4);  // limiter
        }
        sum += static_cast<float>(part) * 0.25f * scale_of(a_scale, row, s) * scale_of(b_scale, column, s);
    }
    out[size_t(row) * Columns + column] = __float2half(sum);
}
