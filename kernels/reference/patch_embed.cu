// patch_embed: the patch-embedding product with sums in double precision; grid 928256 x 3, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void patch_embed_ref(__nv_bfloat16* out, const __nv_fp8_e4m3* patches, const __nv_fp8_e4m3* weights,
                                const __nv_bfloat16* bias, const __nv_bfloat16* pos_embed)
{
    const size_t m = blockIdx.x;
    const unsigned n = blockIdx.y * 256u + threadIdx.x;
    double sum = 0.0;
    for (unsigned k = 0; k < 768u; ++k) {
        sum += static_cast<double>(static_cast<float>(patches[m * 768u + k])) * static_cast<double>(static_cast<float>(weights[n * 768u + k]));
    }
    sum += static_cast<double>(__bfloat162float(bias[n])) + static_cast<double>(__bfloat162float(pos_embed[(m % 196u) * 768u + n]));
    out[m * 768u + n] = __double2bfloat16(sum);
}
