// divergent: each lane of a warp takes one of eight branches, chosen by its input.
//
// Shows:      branch divergence: random keys make a warp run nearly all eight branches, so few lanes are active in each.
// Limiter:    issue slots spent on partly filled warps (about 4 of 32 threads active per instruction).
// Shape:      count = 540672 unsigned integers.
// Launch:     grid 2112 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* out [count], const unsigned* in [count], unsigned count
// Result:     x = in[i]; then 128 times, by in[i] mod 8 (arithmetic modulo 2^32):
//             0: x = x * 1664525 + 1013904223      4: x = (x + k) * 9
//             1: x = x ^ (x << 13)                 5: x = x - (x << 3) + k
//             2: x = x ^ (x >> 7) ^ k              6: x = (x ^ 0x9e3779b9) * 3
//             3: x = (x << 5) | (x >> 27)          7: x = ~x + (x >> 3)
//             with k the step 0..127; out[i] == x

__global__ void divergent(unsigned* __restrict__ out, const unsigned* __restrict__ in, unsigned count)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) {
        return;
    }
    unsigned x = in[index];
    const unsigned key = x & 7u;
#pragma unroll 1
    for (unsigned k = 0; k < 128u; ++k) {
        switch (key) {  // limiter
        case 0: x = x * 1664525u + 1013904223u; break;
        case 1: x ^= x << 13; break;
        case 2: x ^= (x >> 7) ^ k; break;
        case 3: x = (x << 5) | (x >> 27); break;
        case 4: x = (x + k) * 9u; break;
        case 5: x = x - (x << 3) + k; break;
        case 6: x = (x ^ 0x9e3779b9u) * 3u; break;
        default: x = ~x + (x >> 3); break;
        }
    }
    out[index] = x;
}
