// pointer_chase: the chains by division instead of a mask; grid 264, block 64.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void pointer_chase_ref(unsigned* out, const unsigned* table, unsigned mask)
{
    const unsigned thread = blockIdx.x * 64u + threadIdx.x;
    unsigned x = thread;
    for (unsigned step = 0; step < 256u; ++step) {
        x = table[x % (mask + 1u)];
    }
    out[thread] = x;
}
