// hash_probe_after: the same probes, four keys to a thread, whose first slots are all asked for before any is looked at.
__global__ void __launch_bounds__(256) hash_probe_after(unsigned* found, const unsigned* __restrict__ table, const unsigned* __restrict__ keys,
                                                        unsigned mask)
{
    const unsigned i = blockIdx.x * 1024u + threadIdx.x;
    unsigned key[4], slot[4], entry[4];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        key[q] = keys[i + 256u * q];
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        slot[q] = (key[q] * 2654435761u >> 7) & mask;
        entry[q] = table[slot[q]];
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        while (((entry[q] ^ key[q]) & 0xfcu) != 0u) {
            if ((entry[q] & 3u) == 0u) {
                slot[q] = ~0u;
                break;
            }
            slot[q] = (slot[q] + 1u) & mask;
            entry[q] = table[slot[q]];
        }
        found[i + 256u * q] = slot[q];
    }
}
