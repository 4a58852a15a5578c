// blake2b_chain_before: messages of 128 bytes hashed by BLAKE2b over and over, to make a key of a password.
#include <cstdint>

__device__ __forceinline__ uint64_t turn(uint64_t v, int n)
{
    return v >> n | v << (64 - n);
}

__device__ __forceinline__ void mix(uint64_t& a, uint64_t& b, uint64_t& c, uint64_t& d, uint64_t x, uint64_t y)
{
    a += b + x;
    d = turn(d ^ a, 32);
    c += d;
    b = turn(b ^ c, 24);
    a += b + y;
    d = turn(d ^ a, 16);
    c += d;
    b = turn(b ^ c, 63);
}

// A thread to a message.
extern "C" __global__ void __launch_bounds__(256, 8) blake2b_chain_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ in, int turns, int messages)
{
    constexpr uint64_t IV[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
    constexpr unsigned char SIGMA[10][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= messages) {
        return;
    }
    uint64_t m[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        m[k] = (uint64_t)in[(2 * k + 1) * messages + i] << 32 | in[2 * k * messages + i];
    }
    for (int t = 0; t < turns; ++t) {
        uint64_t v[16];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            v[k] = IV[k] ^ (k == 0 ? 0x01010040u : 0u);
            v[8 + k] = IV[k];
        }
        v[12] ^= 128;
        v[14] = ~v[14];
#pragma unroll
        for (int r = 0; r < 12; ++r) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                mix(v[k], v[4 + k], v[8 + k], v[12 + k], m[SIGMA[r % 10][2 * k]], m[SIGMA[r % 10][2 * k + 1]]);
            }
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                mix(v[k], v[4 + (k + 1) % 4], v[8 + (k + 2) % 4], v[12 + (k + 3) % 4], m[SIGMA[r % 10][8 + 2 * k]], m[SIGMA[r % 10][9 + 2 * k]]);
            }
        }
        // The digest is the first half of the next message.
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            m[k] = IV[k] ^ (k == 0 ? 0x01010040u : 0u) ^ v[k] ^ v[8 + k];
        }
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        out[2 * k * messages + i] = (unsigned int)m[k];
        out[(2 * k + 1) * messages + i] = (unsigned int)(m[k] >> 32);
    }
}
