// add_position: adds the position embedding to a product that a library left without it.
//
// Shows:      what a second pass over an output costs: the rows are read and written once more.
// Limiter:    device memory.
// Shape:      out 928256 x 768 BF16, pos_embed 196 x 768 BF16; row m is at position m mod 196.
// Launch:     grid 348096 x 1 x 1, block 256 x 1 x 1: a thread for 8 neighbouring columns.
// Arguments:  __nv_bfloat16* out [928256 * 768], const __nv_bfloat16* pos_embed [196 * 768]
// Result:     out[m * 768 + n] == bf16(out[m * 768 + n] + pos_embed[(m mod 196) * 768 + n])

#include <cuda_bf16.h>

constexpr unsigned Positions = 196;
constexpr unsigned Columns = 768;
constexpr unsigned Packs = Columns / 8;  // of 16 bytes in a row

extern "C" __global__ void __launch_bounds__(256) add_position(__nv_bfloat16* out, const __nv_bfloat16* pos_embed) {
    const unsigned at = blockIdx.x * 256 + threadIdx.x;
    const unsigned position = at / Packs % Positions;
    uint4 sums = reinterpret_cast<const uint4*>(out)[at];
    const uint4 added = __ldg(reinterpret_cast<const uint4*>(pos_embed) + position * Packs + at % Packs);
    auto* const sum = reinterpret_cast<__nv_bfloat162*>(&sums);
    const auto* const add = reinterpret_cast<const __nv_bfloat162*>(&added);
#pragma unroll
    for (unsigned pair = 0; pair < 4; ++pair) {
        const float2 a = __bfloat1622float2(sum[pair]);
        const float2 b = __bfloat1622float2(add[pair]);
        sum[pair] = __floats2bfloat162_rn(a.x + b.x, a.y + b.y);
    }
    reinterpret_cast<uint4*>(out)[at] = sums;
}
