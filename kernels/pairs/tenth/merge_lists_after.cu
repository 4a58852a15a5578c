// merge_lists_after: two sorted columns of keys made one, a block to 3,840 places along the path of the merge, a thread to 15 of them.
constexpr int each = 15, tile = 256 * each;

__device__ __forceinline__ int split(const unsigned* left, int lefts, const unsigned* right, int rights, int diagonal)
{
    int low = max(0, diagonal - rights), high = min(diagonal, lefts);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (left[middle] <= right[diagonal - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(256) merge_lists_after(unsigned* __restrict__ out, const unsigned* __restrict__ left, const unsigned* __restrict__ right, int lefts, int rights)
{
    __shared__ unsigned keys[tile + 1];
    __shared__ int edge[2];
    const int begin = blockIdx.x * tile, end = min(begin + tile, lefts + rights), t = threadIdx.x;
    if (t < 2) {
        edge[t] = split(left, lefts, right, rights, t ? end : begin);
    }
    __syncthreads();
    const int from = edge[0], here = edge[1] - from, there = end - begin - here;
    for (int i = t; i < end - begin; i += 256) {
        keys[i] = i < here ? left[from + i] : right[begin - from + i - here];
    }
    __syncthreads();
    const int diagonal = min(t * each, end - begin);
    int p = split(keys, here, keys + here, there, diagonal), q = diagonal - p;
    unsigned merged[each];
#pragma unroll
    for (int k = 0; k < each; ++k) {
        const unsigned a = keys[min(p, tile)], b = keys[min(here + q, tile)];
        const bool first = p < here && (q >= there || a <= b);
        merged[k] = first ? a : b;
        p += first;
        q += !first;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < each; ++k) {
        keys[t * each + k] = merged[k];
    }
    __syncthreads();
    for (int i = t; i < end - begin; i += 256) {
        out[begin + i] = keys[i];
    }
}
