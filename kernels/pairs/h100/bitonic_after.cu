// bitonic_after: the same network, a thread to a key in a register; steps within a warp by shuffles, only the others through shared memory.
__global__ void __launch_bounds__(1024) bitonic_after(unsigned* out, const unsigned* in)
{
    __shared__ unsigned key[2][1024];
    const unsigned t = threadIdx.x;
    const unsigned long long base = blockIdx.x * 1024ull;
    unsigned mine = in[base + t];
    unsigned buffer = 0u;
    for (unsigned k = 2; k <= 1024u; k *= 2u) {
        const bool up = (t & k) == 0u;
        unsigned j = k / 2u;
        for (; j >= 32u; j /= 2u) {
            key[buffer][t] = mine;
            __syncthreads();
            const unsigned other = key[buffer][t ^ j];
            buffer ^= 1u;
            mine = ((t & j) == 0u) == up ? min(mine, other) : max(mine, other);
        }
        for (; j > 0u; j /= 2u) {
            const unsigned other = __shfl_xor_sync(~0u, mine, j);
            mine = ((t & j) == 0u) == up ? min(mine, other) : max(mine, other);
        }
    }
    out[base + t] = mine;
}
