// permute_heads: brings [batch][head][token][value] into the order [batch][token][head][value], for any sizes, in half precision.
//
// Shows:      an index taken apart by divisions whose divisors only the launch knows: the chip has no integer division, and each
//             becomes about twenty instructions around a reciprocal.
// Limiter:    instruction issue: three divisions and their remainders for each value of two bytes; about 80 slots for a warp's 64
//             bytes, three times what device memory takes for them. The integer and logic pipe and the special functions, which
//             take the three reciprocals and the six conversions around them, are nearly as busy.
// Lever:      a thread for eight values side by side (-DWIDE=8 has it, on an eighth of the grid): three divisions for 16 bytes; or
//             divisors turned into multiplications by the host.
// Shape:      batches = 8, heads = 32, tokens = 2048, values = 64 (64 MiB in, 64 MiB out).
// Launch:     grid 131072 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned short* out [count], const unsigned short* in [count], unsigned heads, unsigned tokens, unsigned values
// Result:     out[b][t][h][v] == in[b][h][t][v]

#ifndef WIDE
#define WIDE 1
#endif

struct __align__(2 * WIDE) Piece {
    unsigned short value[WIDE];
};

__global__ void permute_heads(unsigned short* __restrict__ out, const unsigned short* __restrict__ in, unsigned heads,
                              unsigned tokens, unsigned values)
{
    const unsigned index = (blockIdx.x * blockDim.x + threadIdx.x) * WIDE;
    const unsigned value = index % values, row = index / values;
    const unsigned head = row % heads, place = row / heads;
    const unsigned token = place % tokens, batch = place / tokens;  // limiter
    const unsigned from = ((batch * heads + head) * tokens + token) * values + value;
    *reinterpret_cast<Piece*>(out + index) = *reinterpret_cast<const Piece*>(in + from);
}
