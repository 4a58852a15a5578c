// merge_lists_before: two sorted lists into one, a thread to an element looks for its place in the other list.
extern "C" __global__ void __launch_bounds__(256) merge_lists_before(unsigned* __restrict__ out, const unsigned* __restrict__ left, const unsigned* __restrict__ right, int lefts, int rights)
{
    const int t = blockIdx.x * 256 + threadIdx.x;
    if (t >= lefts + rights) {
        return;
    }
    const bool second = t >= lefts;
    const int own = second ? t - lefts : t;
    const unsigned key = second ? right[own] : left[own];
    const unsigned* const other = second ? left : right;
    int low = 0, high = second ? lefts : rights;
    while (low < high) {
        const int middle = (low + high) / 2;
        const unsigned v = other[middle];
        if (second ? v <= key : v < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    out[own + low] = key;
}
