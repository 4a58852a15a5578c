// merge_lists_before: two sorted columns of keys made one, a thread to a key, which looks for its rank in the other column.
__device__ __forceinline__ int rank(const unsigned* __restrict__ list, int length, unsigned key, bool equal)
{
    int low = 0, high = length;
    while (low < high) {
        const int middle = (low + high) / 2;
        const unsigned found = list[middle];
        if (found < key || (equal && found == key)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(256) merge_lists_before(unsigned* __restrict__ out, const unsigned* __restrict__ left, const unsigned* __restrict__ right, int lefts, int rights)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < lefts) {
        const unsigned key = left[i];
        out[i + rank(right, rights, key, false)] = key;
    } else if (i < lefts + rights) {
        const unsigned key = right[i - lefts];
        out[i - lefts + rank(left, lefts, key, true)] = key;
    }
}
