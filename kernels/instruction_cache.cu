// instruction_cache: 8192 different multiply-adds in a straight line, run by few warps.
//
// Shows:      code larger than the instruction caches: warps wait for instructions, not for data.
// Limiter:    instruction fetch (no-instruction stalls); the unrolled body is 128 KiB of SASS.
// Shape:      count = 33792 unsigned integers.
// Launch:     grid 264 x 1 x 1, block 128 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* out [count], const unsigned* in [count], unsigned rounds   (rounds = 4)
// Result:     x = in[i]; rounds times, for k = 0..8191: x = x * x + k, modulo 2^32; out[i] == x

template <unsigned First>
__device__ __forceinline__ unsigned steps(unsigned x)
{
#pragma unroll
    for (unsigned k = First; k < First + 1024u; ++k) {
        x = x * x + k;  // limiter
    }
    return x;
}

__global__ void instruction_cache(unsigned* __restrict__ out, const unsigned* __restrict__ in, unsigned rounds)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[index];
#pragma unroll 1
    for (unsigned round = 0; round < rounds; ++round) {
        x = steps<0>(x);
        x = steps<1024>(x);
        x = steps<2048>(x);
        x = steps<3072>(x);
        x = steps<4096>(x);
        x = steps<5120>(x);
        x = steps<6144>(x);
        x = steps<7168>(x);
    }
    out[index] = x;
}
