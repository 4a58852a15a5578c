// aes_ctr: one block of cipher to a thread, byte by byte, inverses in the field as powers; grid 16384, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__device__ unsigned product(unsigned a, unsigned b)
{
    unsigned sum = 0u;
    for (unsigned bit = 0; bit < 8u; ++bit) {
        sum ^= (b >> bit & 1u) * a;
        a = a << 1 ^ (a >> 7) * 0x11bu;
    }
    return sum;
}

__device__ unsigned substituted(unsigned byte)
{
    unsigned inverse = 1u, square = byte;
    for (unsigned bit = 1; bit < 8u; ++bit) {
        square = product(square, square);
        inverse = product(inverse, square);
    }
    unsigned sum = 0x63u;
    for (unsigned by = 0; by < 5u; ++by) {
        sum ^= inverse << by | inverse >> (8u - by);
    }
    return sum & 255u;
}

__global__ void aes_ctr_ref(unsigned* out, const unsigned* in, const unsigned* keys, unsigned nonce)
{
    const unsigned block = blockIdx.x * 256u + threadIdx.x;
    unsigned state[16], next[16];
    for (unsigned i = 0; i < 16u; ++i) {
        const unsigned word = (i / 4u == 0u ? nonce : i / 4u == 3u ? block : 0u) ^ keys[i / 4u];
        state[i] = word >> (24u - i % 4u * 8u) & 255u;
    }
    for (unsigned round = 1; round <= 10u; ++round) {
        for (unsigned i = 0; i < 16u; ++i) {
            next[i] = substituted(state[(i + i % 4u * 4u) % 16u]);
        }
        for (unsigned i = 0; i < 16u; ++i) {
            const unsigned* column = next + i / 4u * 4u;
            const unsigned mixed = product(column[i % 4u], 2u) ^ product(column[(i + 1u) % 4u], 3u) ^ column[(i + 2u) % 4u] ^
                                   column[(i + 3u) % 4u];
            state[i] = (round < 10u ? mixed : next[i]) ^ (keys[round * 4u + i / 4u] >> (24u - i % 4u * 8u) & 255u);
        }
    }
    for (unsigned i = 0; i < 4u; ++i) {
        const unsigned* column = state + 4u * i;
        out[block * 4u + i] = in[block * 4u + i] ^ (column[0] << 24 | column[1] << 16 | column[2] << 8 | column[3]);
    }
}
