// kv_append_before: keys and values of new tokens into pages of 16 tokens, keys as [page][head][dimension / 8][slot][8], values as
// [page][head][dimension][slot], a block to a token, an element a thread.
#include <cuda_fp16.h>

struct Layout {
    static constexpr int Slots = 16, Pack = 8;
    int heads, size;
    __device__ __forceinline__ long long key(unsigned page, int slot, int head, int d) const
    {
        return ((((long long)page * heads + head) * (size / Pack) + d / Pack) * Slots + slot) * Pack + d % Pack;
    }
    __device__ __forceinline__ long long value(unsigned page, int slot, int head, int d) const
    {
        return (((long long)page * heads + head) * size + d) * Slots + slot;
    }
};

extern "C" __global__ void __launch_bounds__(256) kv_append_before(__half* __restrict__ keys, __half* __restrict__ values, const __half* __restrict__ key, const __half* __restrict__ value, const unsigned* __restrict__ table, int tokens, int heads, int size)
{
    const Layout layout{heads, size};
    const int token = blockIdx.x, slot = token % Layout::Slots, wide = heads * size;
    const unsigned page = table[token / Layout::Slots];
    for (int i = threadIdx.x; i < wide; i += blockDim.x) {
        const int head = i / size, d = i % size;
        keys[layout.key(page, slot, head, d)] = key[(long long)token * wide + i];
        values[layout.value(page, slot, head, d)] = value[(long long)token * wide + i];
    }
}
