// hash_probe: one query to a thread, at most 128 steps; grid 65536, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void hash_probe_ref(unsigned* out, const unsigned long long* table, const unsigned* keys, unsigned mask)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    const unsigned key = keys[index];
    unsigned hash = (key ^ key >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    hash ^= hash >> 16;
    for (unsigned step = 0; step < 128u; ++step) {
        const unsigned slot = (hash + step) & mask;
        const unsigned long long entry = table[slot];
        if ((entry >> 32 & 1u) == 0u || (entry & 0xffffffffu) == key) {
            out[index] = slot;
            return;
        }
    }
}
