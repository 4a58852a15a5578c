// merge_lists_chains_2: two sorted lists into one, a thread to 2 elements, whose places in the other list it looks for side by side.
constexpr int Chains = 2;

extern "C" __global__ void __launch_bounds__(256) merge_lists_chains_2(unsigned* __restrict__ out, const unsigned* __restrict__ left, const unsigned* __restrict__ right, int lefts, int rights)
{
    const int t = blockIdx.x * (256 * Chains) + threadIdx.x;
    unsigned key[Chains];
    int low[Chains], high[Chains];
#pragma unroll
    for (int k = 0; k < Chains; ++k) {
        const int at = min(t + 256 * k, lefts + rights - 1);
        key[k] = at >= lefts ? right[at - lefts] : left[at];
        low[k] = 0;
        high[k] = at >= lefts ? lefts : rights;
    }
    for (bool open = true; open;) {
        open = false;
        unsigned v[Chains];
#pragma unroll
        for (int k = 0; k < Chains; ++k) {
            const unsigned* const other = t + 256 * k >= lefts ? left : right;
            v[k] = low[k] < high[k] ? other[(low[k] + high[k]) / 2] : 0;
        }
#pragma unroll
        for (int k = 0; k < Chains; ++k) {
            const int middle = (low[k] + high[k]) / 2;
            if (low[k] < high[k]) {
                if (t + 256 * k >= lefts ? v[k] <= key[k] : v[k] < key[k]) {
                    low[k] = middle + 1;
                } else {
                    high[k] = middle;
                }
            }
            open |= low[k] < high[k];
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
