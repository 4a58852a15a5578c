// trie_lookup_before: longest prefixes of addresses in a trie of four bits a level, a thread to an address.
struct Node {
    unsigned child[16];
};

__device__ __forceinline__ unsigned below(const Node* __restrict__ trie, unsigned node, unsigned address, int level) { return trie[node].child[address >> (28 - 4 * level) & 15]; }

extern "C" __global__ void __launch_bounds__(256) trie_lookup_before(unsigned* __restrict__ out, const unsigned* __restrict__ address, const Node* __restrict__ trie, int addresses)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= addresses) {
        return;
    }
    const unsigned a = address[i];
    unsigned node = 0, best = 0;
#pragma unroll
    for (int level = 0; level < 8; ++level) {
        node = below(trie, node, a, level);
        if (node & 1) {
            best = node;
        }
    }
    out[i] = best;
}
