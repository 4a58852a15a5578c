// hash_probe: the slots of sixteen million keys in an open-addressing table of 1 GiB, linear probing, half of the slots empty.
//
// Shows:      random reads of 8 bytes: each query touches 1.25 sectors of 32 bytes, anywhere in the table, at full occupancy.
// Limiter:    device memory: about a sector from DRAM for each query, and 8 of its 32 bytes are asked for. The addresses are
//             hashes, so that no order of the lanes packs them.
// Lever:      partition the queries by the upper bits of their slot, so that a part of the table stays in L2; else smaller slots.
// Shape:      count = 16777216 keys, slots = 134217728 of 8 bytes (1 GiB): the key below, the value above; where that is even, the
//             slot is empty.
// Launch:     grid 65536 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* out [count], const unsigned long long* table [slots], const unsigned* keys [count], unsigned mask
// Result:     out[i] == the first slot from hash(keys[i]) on that is empty or holds keys[i]

__device__ unsigned hash_of(unsigned key)
{
    key = (key ^ key >> 16) * 0x85ebca6bu;
    key = (key ^ key >> 13) * 0xc2b2ae35u;
    return key ^ key >> 16;
}

__global__ void hash_probe(unsigned* out, const unsigned long long* table, const unsigned* keys, unsigned mask)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned key = keys[index];
    unsigned slot = hash_of(key) & mask;
    while (true) {
        const unsigned long long entry = table[slot];  // limiter
        if ((entry >> 32) % 2u == 0u || static_cast<unsigned>(entry) == key) {
            break;
        }
        slot = (slot + 1u) & mask;
    }
    out[index] = slot;
}
