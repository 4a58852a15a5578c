// merge_lists_after: two sorted lists into one, a block to 2,048 places of the result, a thread to eight of them.
constexpr int Each = 8, Threads = 256, Tile = Each * Threads;

// how many of the first `diagonal` places of the result come from a
__device__ __forceinline__ int split(const unsigned* a, int as, const unsigned* b, int bs, int diagonal)
{
    int low = max(0, diagonal - bs), high = min(diagonal, as);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(Threads) merge_lists_after(unsigned* __restrict__ out, const unsigned* __restrict__ left, const unsigned* __restrict__ right, int lefts, int rights)
{
    __shared__ unsigned keys[Tile];
    __shared__ int ends[2];
    const int t = threadIdx.x;
    const int first = blockIdx.x * Tile, last = min(first + Tile, lefts + rights);
    if (t % 32 == 0 && t < 64) {
        ends[t / 32] = split(left, lefts, right, rights, t == 0 ? first : last);
    }
    __syncthreads();
    const int a0 = ends[0], as = ends[1] - a0, b0 = first - a0, bs = last - first - as;
    for (int i = t; i < as + bs; i += Threads) {
        keys[i] = i < as ? left[a0 + i] : right[b0 + i - as];
    }
    __syncthreads();
    const unsigned* const b = keys + as;
    const int from = min(t * Each, as + bs);
    int i = split(keys, as, b, bs, from), j = from - i;
    unsigned kept[Each];
#pragma unroll
    for (int e = 0; e < Each; ++e) {
        const bool take = j >= bs || (i < as && keys[i] <= b[j]);
        kept[e] = from + e < as + bs ? (take ? keys[i] : b[j]) : 0;
        i += take ? 1 : 0;
        j += take ? 0 : 1;
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < Each; ++e) {
        if (from + e < as + bs) {
            keys[from + e] = kept[e];
        }
    }
    __syncthreads();
    for (int i = t; i < as + bs; i += Threads) {
        out[first + i] = keys[i];
    }
}
