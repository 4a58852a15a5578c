// patch_embed_gemm_ref: the patch-embedding product, one thread per output, no tiling: what the fast versions are checked against.
//
// Shows:      a naive matrix product: every lane walks its own row of the weights.
// Limiter:    L1/TEX throughput (uncoalesced loads of the weights, 32 sectors a request).
// Shape:      patches 928256 x 768, weights 768 x 768 (row n holds output column n), E4M3, row-major; bias 768 BF16;
//             pos_embed 196 x 768 BF16; out 928256 x 768 BF16. Inputs must hold no NaN (E4M3 0x7f and 0xff).
// Launch:     grid 928256 x 3 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  __nv_bfloat16* out [928256 * 768], const __nv_fp8_e4m3* patches [928256 * 768], const __nv_fp8_e4m3* weights [768 * 768],
//             const __nv_bfloat16* bias [768], const __nv_bfloat16* pos_embed [196 * 768]
// Result:     out[m * 768 + n] == bf16(sum over k of patches[m * 768 + k] * weights[n * 768 + k] + bias[n] + pos_embed[(m mod 196) * 768 + n])

#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void patch_embed_gemm_ref(__nv_bfloat16* __restrict__ out, const __nv_fp8_e4m3* __restrict__ patches,
                                     const __nv_fp8_e4m3* __restrict__ weights, const __nv_bfloat16* __restrict__ bias,
                                     const __nv_bfloat16* __restrict__ pos_embed)
{
    const size_t m = blockIdx.x;
    const unsigned n = blockIdx.y * 256u + threadIdx.x;
    const auto* patch = reinterpret_cast<const __nv_fp8x4_e4m3*>(patches + m * 768u);
    const auto* weight = reinterpret_cast<const __nv_fp8x4_e4m3*>(weights + n * 768u);
    float sum = 0.0f;
    for (unsigned k = 0; k < 192u; ++k) {
        const float4 a = static_cast<float4>(patch[k]);
        const float4 b = static_cast<float4>(weight[k]);  // limiter
        sum = fmaf(a.x, b.x, sum);
        sum = fmaf(a.y, b.y, sum);
        sum = fmaf(a.z, b.z, sum);
        sum = fmaf(a.w, b.w, sum);
    }
    sum += __bfloat162float(bias[n]) + __bfloat162float(pos_embed[(m % 196u) * 768u + n]);
    out[m * 768u + n] = __float2bfloat16_rn(sum);
}
