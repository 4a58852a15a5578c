// sha256_leaves_before: SHA-256 of leaves of 64 bytes of a tree of hashes, a thread to a leaf, words turned by two shifts.
__device__ constexpr unsigned constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ __forceinline__ unsigned turned(unsigned x, int by) { return x >> by | x << (32 - by); }

__device__ __forceinline__ void compress(unsigned (&hash)[8], unsigned (&w)[16])
{
    unsigned a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4], f = hash[5], g = hash[6], h = hash[7];
#pragma unroll
    for (int t = 0; t < 64; ++t) {
        if (t >= 16) {
            const unsigned x = w[(t + 1) % 16], y = w[(t + 14) % 16];
            w[t % 16] += (turned(x, 7) ^ turned(x, 18) ^ x >> 3) + w[(t + 9) % 16] + (turned(y, 17) ^ turned(y, 19) ^ y >> 10);
        }
        const unsigned one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (e & f ^ ~e & g) + constants[t] + w[t % 16];
        const unsigned two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + (a & b ^ a & c ^ b & c);
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    hash[0] += a;
    hash[1] += b;
    hash[2] += c;
    hash[3] += d;
    hash[4] += e;
    hash[5] += f;
    hash[6] += g;
    hash[7] += h;
}

extern "C" __global__ void __launch_bounds__(256) sha256_leaves_before(uint4* __restrict__ out, const uint4* __restrict__ leaf, int leaves)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= leaves) {
        return;
    }
    unsigned hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, w[16];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const uint4 four = leaf[4 * i + k];
        w[4 * k] = __byte_perm(four.x, 0, 0x0123);
        w[4 * k + 1] = __byte_perm(four.y, 0, 0x0123);
        w[4 * k + 2] = __byte_perm(four.z, 0, 0x0123);
        w[4 * k + 3] = __byte_perm(four.w, 0, 0x0123);
    }
    compress(hash, w);
    unsigned rest[16] = {0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 512};
    compress(hash, rest);
    out[2 * i] = make_uint4(hash[0], hash[1], hash[2], hash[3]);
    out[2 * i + 1] = make_uint4(hash[4], hash[5], hash[6], hash[7]);
}
