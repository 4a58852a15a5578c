// dropout_mask_before: masks of random bits by ChaCha20, sixteen elements a block of the cipher.
__device__ __forceinline__ void quarter(unsigned& a, unsigned& b, unsigned& c, unsigned& d)
{
    a += b; d = __funnelshift_l(d ^ a, d ^ a, 16);
    c += d; b = __funnelshift_l(b ^ c, b ^ c, 12);
    a += b; d = __funnelshift_l(d ^ a, d ^ a, 8);
    c += d; b = __funnelshift_l(b ^ c, b ^ c, 7);
}

extern "C" __global__ void __launch_bounds__(256) dropout_mask_before(unsigned* mask, const unsigned* __restrict__ key, int words, unsigned threshold)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    for (int word = id; word < words; word += gridDim.x * blockDim.x) {
        unsigned bits = 0;
#pragma unroll 1
        for (int half = 0; half < 2; ++half) {
            const unsigned first[16] = {0x61707865u, 0x3320646Eu, 0x79622D32u, 0x6B206574u, key[0], key[1], key[2], key[3],
                                        key[4], key[5], key[6], key[7], 2u * word + half, 0u, key[8], key[9]};
            unsigned s[16];
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                s[k] = first[k];
            }
#pragma unroll 1
            for (int round = 0; round < 10; ++round) {
                quarter(s[0], s[4], s[8], s[12]);
                quarter(s[1], s[5], s[9], s[13]);
                quarter(s[2], s[6], s[10], s[14]);
                quarter(s[3], s[7], s[11], s[15]);
                quarter(s[0], s[5], s[10], s[15]);
                quarter(s[1], s[6], s[11], s[12]);
                quarter(s[2], s[7], s[8], s[13]);
                quarter(s[3], s[4], s[9], s[14]);
            }
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                bits |= (s[k] + first[k] < threshold) << (half * 16 + k);
            }
        }
        mask[word] = bits;
    }
}
