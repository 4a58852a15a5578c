// sha256_nodes: SHA-256 of two million messages of 64 bytes, one message to a thread, as a level of a Merkle tree asks for it.
//
// Shows:      a hash in registers: rotations, exclusive ors and additions of 32 bits; sixteen rounds unrolled, the schedule in place.
// Limiter:    the integer and logic pipe: rotations, logic and additions run at half the rate of issue, some 2100 of the 2800
//             instructions of a message's two blocks: 1050 cycles of an SM for a warp, where issue takes 700 and device memory 150.
// Lever:      additions on the FMA pipe (by IMAD, as the compiler does for one in four); else at the roof, and only fewer hashes help,
//             as a tree of more than two children has them.
// Shape:      messages = 2097152 of 16 words (128 MiB in, 64 MiB out); words are numbers, their first byte the uppermost.
// Launch:     grid 8192 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  uint4* out [messages * 2], const uint4* in [messages * 4]
// Result:     out[i] == SHA-256 of in[i]

__constant__ unsigned ROUND[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u, 0xd807aa98u, 0x12835b01u,
    0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u, 0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu,
    0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau, 0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u,
    0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u, 0x19a4c116u, 0x1e376c08u,
    0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u, 0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u,
    0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u};

__device__ unsigned turned(unsigned x, unsigned first, unsigned second, unsigned third)
{
    return (x >> first | x << (32u - first)) ^ (x >> second | x << (32u - second)) ^ (x >> third | x << (32u - third));  // limiter
}

__device__ unsigned shifted(unsigned x, unsigned first, unsigned second, unsigned third)
{
    return (x >> first | x << (32u - first)) ^ (x >> second | x << (32u - second)) ^ x >> third;
}

__device__ void compress(unsigned (&state)[8], unsigned (&word)[16])
{
    unsigned v[8];
#pragma unroll
    for (unsigned i = 0; i < 8u; ++i) {
        v[i] = state[i];
    }
#pragma unroll 1
    for (unsigned round = 0; round < 64u; round += 16u) {
#pragma unroll
        for (unsigned i = 0; i < 16u; ++i) {
            const unsigned a = v[(0u - i) % 8u], b = v[(1u - i) % 8u], c = v[(2u - i) % 8u];
            const unsigned e = v[(4u - i) % 8u], f = v[(5u - i) % 8u], g = v[(6u - i) % 8u];
            unsigned& h = v[(7u - i) % 8u];
            h += turned(e, 6u, 11u, 25u) + ((e & f) ^ (~e & g)) + ROUND[round + i] + word[i];
            v[(3u - i) % 8u] += h;
            h += turned(a, 2u, 13u, 22u) + ((a & b) ^ (a & c) ^ (b & c));
        }
        if (round < 48u) {
#pragma unroll
            for (unsigned i = 0; i < 16u; ++i) {
                word[i] += shifted(word[(i + 1u) % 16u], 7u, 18u, 3u) + word[(i + 9u) % 16u] +
                           shifted(word[(i + 14u) % 16u], 17u, 19u, 10u);
            }
        }
    }
#pragma unroll
    for (unsigned i = 0; i < 8u; ++i) {
        state[i] += v[i];
    }
}

__global__ void __launch_bounds__(256) sha256_nodes(uint4* __restrict__ out, const uint4* __restrict__ in)
{
    const unsigned message = blockIdx.x * 256u + threadIdx.x;
    unsigned state[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
    unsigned word[16];
#pragma unroll
    for (unsigned i = 0; i < 4u; ++i) {
        const uint4 four = in[message * 4u + i];
        word[4u * i] = four.x;
        word[4u * i + 1u] = four.y;
        word[4u * i + 2u] = four.z;
        word[4u * i + 3u] = four.w;
    }
    compress(state, word);
#pragma unroll
    for (unsigned i = 1; i < 15u; ++i) {
        word[i] = 0u;
    }
    word[0] = 0x80000000u;
    word[15] = 512u;
    compress(state, word);
    out[message * 2u] = make_uint4(state[0], state[1], state[2], state[3]);
    out[message * 2u + 1u] = make_uint4(state[4], state[5], state[6], state[7]);
}
