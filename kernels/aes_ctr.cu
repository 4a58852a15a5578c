// aes_ctr: AES-128 in counter mode over 64 MiB, four blocks of 16 bytes to a thread, by the four tables of 256 words in shared memory.
//
// Shows:      look-ups at addresses that the data choose: the 32 lanes of a warp meet at random in the 32 banks.
// Limiter:    bank conflicts of shared memory: 160 look-ups a block of cipher, each of 3.2 turns on average where one would do: 500
//             cycles of an SM for a warp's 32 blocks, which take 150 cycles of issue, 190 of the integer pipe and 50 of device memory.
// Lever:      a copy of one table for each bank, 32 KiB, the other three by rotation: no conflict; the integer pipe limits then.
// Shape:      blocks = 4194304 of 4 words (64 MiB in, 64 MiB out); words are numbers, their first byte the uppermost.
// Launch:     grid 4096 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  uint4* out [blocks], const uint4* in [blocks], const uint4* keys [11], unsigned nonce
// Result:     out[i] == in[i] ^ the cipher of the block (nonce, 0, 0, i) under the expanded keys

struct Words {
    unsigned word[256];
};

// S-box and the column (2 s, s, s, 3 s) of MixColumns: p runs through the powers of 3 in the field, q through their inverses.
constexpr Words columns()
{
    Words all{};
    unsigned p = 1u, q = 1u;
    for (unsigned step = 0; step < 256u; ++step) {
        const unsigned r = step == 255u ? 0u : q;
        const unsigned s = (r ^ r << 1 ^ r << 2 ^ r << 3 ^ r << 4 ^ (r << 1 ^ r << 2 ^ r << 3 ^ r << 4) >> 8 ^ 0x63u) & 255u;
        const unsigned twice = (s << 1 ^ (s >> 7) * 0x11bu) & 255u;
        all.word[step == 255u ? 0u : p] = twice << 24 | s << 16 | s << 8 | (twice ^ s);
        p = (p ^ p << 1 ^ (p >> 7) * 0x11bu) & 255u;
        q = (q ^ q << 1) & 255u;
        q = (q ^ q << 2) & 255u;
        q = (q ^ q << 4) & 255u;
        q ^= (q >> 7) * 0x09u;
    }
    return all;
}

__device__ const Words COLUMNS = columns();

__device__ unsigned looked_up(const unsigned (&table)[4][256], unsigned a, unsigned b, unsigned c, unsigned d)
{
    return table[0][a >> 24] ^ table[1][b >> 16 & 255u] ^ table[2][c >> 8 & 255u] ^ table[3][d & 255u];  // limiter
}

__device__ unsigned replaced(const unsigned (&table)[4][256], unsigned a, unsigned b, unsigned c, unsigned d)
{
    return (table[2][a >> 24] & 0xff000000u) ^ (table[3][b >> 16 & 255u] & 0x00ff0000u) ^ (table[0][c >> 8 & 255u] & 0x0000ff00u) ^
           (table[1][d & 255u] & 0x000000ffu);
}

__device__ uint4 added(uint4 a, uint4 b)
{
    return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w);
}

__global__ void __launch_bounds__(256)
    aes_ctr(uint4* __restrict__ out, const uint4* __restrict__ in, const uint4* __restrict__ keys, unsigned nonce)
{
    __shared__ unsigned table[4][256];
    __shared__ uint4 key[11];
    const unsigned word = COLUMNS.word[threadIdx.x];
    table[0][threadIdx.x] = word;
    table[1][threadIdx.x] = word >> 8 | word << 24;
    table[2][threadIdx.x] = word >> 16 | word << 16;
    table[3][threadIdx.x] = word >> 24 | word << 8;
    if (threadIdx.x < 11u) {
        key[threadIdx.x] = keys[threadIdx.x];
    }
    __syncthreads();
    for (unsigned i = 0; i < 4u; ++i) {
        const unsigned block = (blockIdx.x * 4u + i) * 256u + threadIdx.x;
        uint4 s = added(make_uint4(nonce, 0u, 0u, block), key[0]);
#pragma unroll
        for (unsigned round = 1; round < 10u; ++round) {
            s = added(make_uint4(looked_up(table, s.x, s.y, s.z, s.w), looked_up(table, s.y, s.z, s.w, s.x),
                                 looked_up(table, s.z, s.w, s.x, s.y), looked_up(table, s.w, s.x, s.y, s.z)),
                      key[round]);
        }
        s = added(make_uint4(replaced(table, s.x, s.y, s.z, s.w), replaced(table, s.y, s.z, s.w, s.x),
                             replaced(table, s.z, s.w, s.x, s.y), replaced(table, s.w, s.x, s.y, s.z)),
                  key[10]);
        out[block] = added(in[block], s);
    }
}
