// hash_probe_before: probes of an open-addressed table of 32-bit tags, a thread to a key. A slot whose low two bits are 0 is empty.
__global__ void __launch_bounds__(256) hash_probe_before(unsigned* found, const unsigned* __restrict__ table, const unsigned* __restrict__ keys,
                                                         unsigned mask)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    const unsigned key = keys[i];
    unsigned slot = (key * 2654435761u >> 7) & mask;
    for (;;) {
        const unsigned entry = table[slot];
        if (((entry ^ key) & 0xfcu) == 0u) {
            break;
        }
        if ((entry & 3u) == 0u) {
            slot = ~0u;
            break;
        }
        slot = (slot + 1u) & mask;
    }
    found[i] = slot;
}
