// digit_counts: one counter to a thread, which reads the whole tile; grid 132, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void digit_counts_ref(unsigned* counts, const unsigned* keys, unsigned shift)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    unsigned count = 0u;
    for (unsigned i = 0; i < 16384u; ++i) {
        count += (keys[index / 16u * 16384u + i] >> shift & 15u) == index % 16u ? 1u : 0u;
    }
    counts[index] = count;
}
