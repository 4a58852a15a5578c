// merge_lists_even_4: two sorted lists into one, a thread to four elements, whose places in the other list it looks for side by side, steps the same for all.
constexpr int Chains = 4;

extern "C" __global__ void __launch_bounds__(256) merge_lists_even_4(unsigned* __restrict__ out, const unsigned* __restrict__ left, const unsigned* __restrict__ right, int lefts, int rights)
{
    const int t = blockIdx.x * (256 * Chains) + threadIdx.x;
    unsigned key[Chains];
    const unsigned* other[Chains];
    int low[Chains], size[Chains];
#pragma unroll
    for (int k = 0; k < Chains; ++k) {
        const int at = min(t + 256 * k, lefts + rights - 1);
        key[k] = at >= lefts ? right[at - lefts] : left[at];
        other[k] = at >= lefts ? left : right;
        size[k] = at >= lefts ? lefts : rights;
        low[k] = 0;
    }
    for (int half = 1 << (31 - __clz(max(max(lefts, rights), 1))); half; half >>= 1) {
        unsigned v[Chains];
#pragma unroll
        for (int k = 0; k < Chains; ++k) {
            v[k] = low[k] + half <= size[k] ? other[k][low[k] + half - 1] : ~0u;
        }
#pragma unroll
        for (int k = 0; k < Chains; ++k) {
            // the test of the place again: a key may be the largest there is
            if (low[k] + half <= size[k] && (t + 256 * k >= lefts ? v[k] <= key[k] : v[k] < key[k])) {
                low[k] += half;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < Chains; ++k) {
        const int at = t + 256 * k;
        if (at < lefts + rights) {
            out[(at >= lefts ? at - lefts : at) + low[k]] = key[k];
        }
    }
}
