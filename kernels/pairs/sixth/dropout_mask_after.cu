// dropout_mask_after: masks of random bits by ChaCha20, sixteen elements a block of the cipher, two blocks of the cipher side by side.
__device__ __forceinline__ void quarter(unsigned& a, unsigned& b, unsigned& c, unsigned& d)
{
    a += b; d = __funnelshift_l(d ^ a, d ^ a, 16);
    c += d; b = __funnelshift_l(b ^ c, b ^ c, 12);
    a += b; d = __funnelshift_l(d ^ a, d ^ a, 8);
    c += d; b = __funnelshift_l(b ^ c, b ^ c, 7);
}

extern "C" __global__ void __launch_bounds__(256) dropout_mask_after(unsigned* mask, const unsigned* __restrict__ key, int words, unsigned threshold)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    for (int word = id; word < words; word += gridDim.x * blockDim.x) {
        unsigned bits = 0;
        const unsigned first[16] = {0x61707865u, 0x3320646Eu, 0x79622D32u, 0x6B206574u, key[0], key[1], key[2], key[3],
                                    key[4], key[5], key[6], key[7], 2u * word, 0u, key[8], key[9]};
        unsigned s[2][16];
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            s[0][k] = first[k];
            s[1][k] = first[k] + (k == 12);
        }
#pragma unroll 1
        for (int round = 0; round < 10; ++round) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                quarter(s[0][i], s[0][4 + i], s[0][8 + i], s[0][12 + i]);
                quarter(s[1][i], s[1][4 + i], s[1][8 + i], s[1][12 + i]);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                quarter(s[0][i], s[0][4 + (i + 1) % 4], s[0][8 + (i + 2) % 4], s[0][12 + (i + 3) % 4]);
                quarter(s[1][i], s[1][4 + (i + 1) % 4], s[1][8 + (i + 2) % 4], s[1][12 + (i + 3) % 4]);
            }
        }
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            bits |= (s[0][k] + first[k] < threshold) << k;
            bits |= (s[1][k] + first[k] + (k == 12) < threshold) << (16 + k);
        }
        mask[word] = bits;
    }
}
