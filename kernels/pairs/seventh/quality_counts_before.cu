// quality_counts_before: counts of the sixteen classes of quality along sequences of 256 letters, eight to a word, a thread to a sequence,
// counts in an array of the thread.
struct Counts {
    unsigned of[16];
    __device__ __forceinline__ void add(unsigned word)
    {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            ++of[word >> 4 * k & 15];
        }
    }
};

extern "C" __global__ void __launch_bounds__(256) quality_counts_before(unsigned* __restrict__ out, const unsigned* __restrict__ letters, int sequences, int words)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= sequences) {
        return;
    }
    Counts counts = {};
    for (int w = 0; w < words; ++w) {
        counts.add(letters[(long long)w * sequences + i]);
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        out[(long long)k * sequences + i] = counts.of[k];
    }
}
