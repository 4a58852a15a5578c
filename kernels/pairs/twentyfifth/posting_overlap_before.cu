// posting_overlap_before: how many documents pairs of posting lists share, lists of 128 ascending numbers counted from the first one.
#define LENGTH 128

// A pair a thread, by merging.
extern "C" __global__ void __launch_bounds__(256) posting_overlap_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ posting, const unsigned int* __restrict__ left, const unsigned int* __restrict__ right, int pairs)
{
    const int p = blockIdx.x * 256 + threadIdx.x;
    if (p >= pairs) {
        return;
    }
    const unsigned int* a = posting + left[p] * LENGTH;
    const unsigned int* b = posting + right[p] * LENGTH;
    const unsigned int a0 = a[0], b0 = b[0];
    unsigned int shared = 0;
    int i = 0, j = 0;
    while (i < LENGTH && j < LENGTH) {
        const unsigned int x = a[i] - a0, y = b[j] - b0;
        shared += x == y;
        i += x <= y;
        j += y <= x;
    }
    out[p] = shared;
}
