// trie_lookup_after: longest prefixes of addresses in a trie of four bits a level, a thread to four addresses side by side.
struct Node {
    unsigned child[16];
};

__device__ __forceinline__ unsigned below(const Node* __restrict__ trie, unsigned node, unsigned address, int level) { return trie[node].child[address >> (28 - 4 * level) & 15]; }

extern "C" __global__ void __launch_bounds__(256) trie_lookup_after(unsigned* __restrict__ out, const unsigned* __restrict__ address, const Node* __restrict__ trie, int addresses)
{
    constexpr int Many = 4;
    const int first = blockIdx.x * 256 * Many + threadIdx.x;
    unsigned a[Many], node[Many] = {}, best[Many] = {};
#pragma unroll
    for (int k = 0; k < Many; ++k) {
        a[k] = first + k * 256 < addresses ? address[first + k * 256] : 0;
    }
#pragma unroll
    for (int level = 0; level < 8; ++level) {
#pragma unroll
        for (int k = 0; k < Many; ++k) {
            node[k] = below(trie, node[k], a[k], level);
        }
#pragma unroll
        for (int k = 0; k < Many; ++k) {
            if (node[k] & 1) {
                best[k] = node[k];
            }
        }
    }
#pragma unroll
    for (int k = 0; k < Many; ++k) {
        if (first + k * 256 < addresses) {
            out[first + k * 256] = best[k];
        }
    }
}
