// keccak_before: Keccak-f[1600] of a block of 136 bytes (SHA3-256), a message to a thread, as many registers as it wants.
// in: [34, count] words; out: [8, count] words.
__constant__ unsigned long long RC[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

__device__ __forceinline__ unsigned long long turn(unsigned long long x, int n) { return n == 0 ? x : x << n | x >> (64 - n); }

extern "C" __global__ void __launch_bounds__(128) keccak_before(unsigned* out, const unsigned* __restrict__ in, int count)
{
    constexpr int TURN[25] = {0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14};
    const int i = blockIdx.x * 128 + threadIdx.x;
    unsigned long long a[25];
#pragma unroll
    for (int w = 0; w < 25; ++w) {
        a[w] = w < 17 ? in[2 * w * count + i] | (unsigned long long)in[(2 * w + 1) * count + i] << 32 : 0;
    }
#pragma unroll 1
    for (int round = 0; round < 24; ++round) {
        unsigned long long c[5], b[25];
#pragma unroll
        for (int x = 0; x < 5; ++x) {
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        }
#pragma unroll
        for (int x = 0; x < 5; ++x) {
            const unsigned long long d = c[(x + 4) % 5] ^ turn(c[(x + 1) % 5], 1);
#pragma unroll
            for (int y = 0; y < 5; ++y) {
                b[y + (2 * x + 3 * y) % 5 * 5] = turn(a[x + 5 * y] ^ d, TURN[x + 5 * y]);
            }
        }
#pragma unroll
        for (int y = 0; y < 5; ++y) {
#pragma unroll
            for (int x = 0; x < 5; ++x) {
                a[x + 5 * y] = b[x + 5 * y] ^ (~b[(x + 1) % 5 + 5 * y] & b[(x + 2) % 5 + 5 * y]);
            }
        }
        a[0] ^= RC[round];
    }
#pragma unroll
    for (int w = 0; w < 4; ++w) {
        out[2 * w * count + i] = static_cast<unsigned>(a[w]);
        out[(2 * w + 1) * count + i] = static_cast<unsigned>(a[w] >> 32);
    }
}
