// kv_append_after: keys and values of new tokens into pages of 16 tokens, keys as [page][head][dimension / 8][slot][8], values as
// [page][head][dimension][slot], a block to a page and head, 16 bytes a thread, values turned in shared memory.
#include <cuda_fp16.h>

template <int Size> struct Tile {
    static constexpr int Slots = 16, Pack = 8, Pitch = Size + 8;
    __half cell[Slots][Pitch];
    __device__ __forceinline__ uint4 across(int d, int from) const
    {
        __half2 pair[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            pair[i] = __halves2half2(cell[from + 2 * i][d], cell[from + 2 * i + 1][d]);
        }
        return *reinterpret_cast<uint4*>(pair);
    }
};

extern "C" __global__ void __launch_bounds__(256) kv_append_after(__half* __restrict__ keys, __half* __restrict__ values, const __half* __restrict__ key, const __half* __restrict__ value, const unsigned* __restrict__ table, int tokens, int heads, int size)
{
    using T = Tile<128>;
    __shared__ __align__(16) T tile;
    const int t = threadIdx.x, head = blockIdx.x, slot = t % T::Slots, chunk = t / T::Slots, token = blockIdx.y * T::Slots + slot;
    const long long to = ((long long)table[blockIdx.y] * heads + head) * 128 * T::Slots;
    const long long from = (long long)token * heads * 128 + head * 128 + chunk * T::Pack;
    uint4 k = make_uint4(0, 0, 0, 0), v = k;
    if (token < tokens) {
        k = *reinterpret_cast<const uint4*>(key + from);
        v = *reinterpret_cast<const uint4*>(value + from);
    }
    *reinterpret_cast<uint4*>(&tile.cell[slot][chunk * T::Pack]) = v;
    if (token < tokens) {
        *reinterpret_cast<uint4*>(keys + to + (chunk * T::Slots + slot) * T::Pack) = k;
    }
    __syncthreads();
    *reinterpret_cast<uint4*>(values + to + t * 8) = tile.across(t / 2, t % 2 * 8);
}
