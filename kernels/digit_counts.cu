// digit_counts: how often each digit of four bits occurs in each tile of keys, the first step of a radix sort.
//
// Shows:      counters of a thread in an array that the key indexes at run time: the compiler puts them into local memory.
// Limiter:    local memory: each key loads and stores one of 16 counters, and the 32 lanes of a warp meet in about 14 lines; at a
//             line a cycle that is four times what device memory takes for the keys.
// Lever:      counters of eight bits packed into registers, or 16 x 256 bytes of shared memory with a column to each thread.
// Shape:      tiles = 2112 of 16384 keys (132 MiB).
// Launch:     grid 2112 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* counts [tiles * 16], const unsigned* keys [tiles * 16384], unsigned shift
// Result:     counts[t][d] == keys of tile t with (key >> shift) % 16 == d

__global__ void digit_counts(unsigned* __restrict__ counts, const unsigned* __restrict__ keys, unsigned shift)
{
    __shared__ unsigned totals[16];
    if (threadIdx.x < 16u) {
        totals[threadIdx.x] = 0u;
    }
    __syncthreads();
    unsigned own[16] = {};
    for (unsigned i = 0; i < 64u; ++i) {
        const unsigned key = keys[(blockIdx.x * 64u + i) * 256u + threadIdx.x];
        ++own[(key >> shift) % 16u];  // limiter
    }
#pragma unroll
    for (unsigned digit = 0; digit < 16u; ++digit) {
        const unsigned sum = __reduce_add_sync(0xffffffffu, own[digit]);
        if (threadIdx.x % 32u == 0u) {
            atomicAdd(&totals[digit], sum);
        }
    }
    __syncthreads();
    if (threadIdx.x < 16u) {
        counts[blockIdx.x * 16u + threadIdx.x] = totals[threadIdx.x];
    }
}
