// bitonic_tiles: the place of a key is the number of keys of its tile that go before it; grid 16384, block 1024.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void bitonic_tiles_ref(unsigned* out, const unsigned* in)
{
    const unsigned base = blockIdx.x * 1024u;
    const unsigned key = in[base + threadIdx.x];
    unsigned place = 0u;
    for (unsigned other = 0; other < 1024u; ++other) {
        const unsigned beside = in[base + other];
        place += beside < key || (beside == key && other < threadIdx.x) ? 1u : 0u;
    }
    out[base + place] = key;
}
