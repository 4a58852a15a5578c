// kv_gather: brings the entries of a paged cache of keys, 16 tokens to a page, into one buffer in the order of the tokens, as a prefill
// over a cached prefix asks for it; one block to a token.
//
// Shows:      a copy of 2 bytes a lane through pointers that may be the same to the compiler, so that the next load stands behind a
//             store that waits for the answer of the last one.
// Limiter:    latency of device memory: 64 warps with one load of 64 bytes each hold 4 KiB in flight on an SM where bandwidth times
//             latency asks for 25; eight turns of some 900 cycles to a block.
// Lever:      loads of 16 bytes a lane (a token is then one load of each thread), and __restrict__.
// Shape:      sequences = 64 of 2048 tokens, pages = 8192, a token is 1024 values (256 MiB of pages, 256 MiB out).
// Launch:     grid 131072 x 1 x 1, block 128 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned short* out [sequences * tokens * values], const unsigned short* cache [pages * 16 * values], const
//             unsigned* table [sequences * tokens / 16], unsigned tokens, unsigned values
// Result:     out[s][t] == cache[table[s][t / 16]][t % 16]

__global__ void kv_gather(unsigned short* out, const unsigned short* cache, const unsigned* table, unsigned tokens, unsigned values)
{
    const unsigned sequence = blockIdx.x / tokens, token = blockIdx.x % tokens;
    const unsigned page = table[sequence * (tokens / 16u) + token / 16u];
    const unsigned short* from = cache + (page * 16u + token % 16u) * values;
    unsigned short* to = out + blockIdx.x * values;
    for (unsigned i = threadIdx.x; i < values; i += blockDim.x) {
        to[i] = from[i];  // limiter
    }
}
