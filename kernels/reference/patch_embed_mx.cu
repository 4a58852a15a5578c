// patch_embed_mx: one output to a thread, E4M3 values with E8M0 scales for 32 of a row, sums in single precision; grid 928256 x 3, block
// 256. Nothing clever: what patch_embed_gemm_sm100 is checked against.

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

constexpr unsigned Depth = 768;

__device__ float scale(const uint8_t* scales, size_t row, unsigned s)
{
    const unsigned inner = row % 128;
    return exp2f(static_cast<float>(scales[(row / 128 * (Depth / 128) + s / 4) * 512 + inner % 32 * 16 + inner / 32 * 4 + s % 4]) - 127.0f);
}

__global__ void patch_embed_mx(__nv_bfloat16* out, const __nv_fp8_e4m3* patches, const __nv_fp8_e4m3* weights, const uint8_t* patch_scale,
                               const uint8_t* weight_scale, const __nv_bfloat16* bias, const __nv_bfloat16* pos_embed)
{
    const size_t row = blockIdx.x, column = blockIdx.y * 256u + threadIdx.x;
    float sum = 0.0f;
    for (unsigned s = 0; s < Depth / 32; ++s) {
        float part = 0.0f;
        for (unsigned k = s * 32u; k < s * 32u + 32u; ++k) {
            part += static_cast<float>(patches[row * Depth + k]) * static_cast<float>(weights[column * Depth + k]);
        }
        sum += part * scale(patch_scale, row, s) * scale(weight_scale, column, s);
    }
    sum += __bfloat162float(bias[column]) + __bfloat162float(pos_embed[row % 196 * 768 + column]);
    out[row * 768 + column] = __float2bfloat16(sum);
}
