// quality_counts_after: counts of the sixteen classes of quality along sequences of 256 letters, eight to a word, a thread to a sequence,
// counts of sixteen words as bytes of two words of 64 bits.
struct Counts {
    unsigned long long low = 0, high = 0;
    unsigned pair[8] = {};
    __device__ __forceinline__ void add(unsigned word)
    {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const unsigned c = word >> 4 * k & 15;
            const unsigned long long one = 1ull << (c & 7) * 8;
            if (c & 8) {
                high += one;
            } else {
                low += one;
            }
        }
    }
    __device__ __forceinline__ void spread()
    {
        const unsigned part[4] = {(unsigned)low, (unsigned)(low >> 32), (unsigned)high, (unsigned)(high >> 32)};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            pair[2 * k] += part[k] & 0x00ff00ff;
            pair[2 * k + 1] += part[k] >> 8 & 0x00ff00ff;
        }
        low = high = 0;
    }
    __device__ __forceinline__ unsigned of(int c) const { return pair[c / 4 * 2 + c % 2] >> (c % 4 / 2 * 16) & 65535; }
};

extern "C" __global__ void __launch_bounds__(256) quality_counts_after(unsigned* __restrict__ out, const unsigned* __restrict__ letters, int sequences, int words)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= sequences) {
        return;
    }
    Counts counts;
    for (int first = 0; first < words; first += 16) {
        for (int w = first; w < min(first + 16, words); ++w) {
            counts.add(letters[(long long)w * sequences + i]);
        }
        counts.spread();
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        out[(long long)k * sequences + i] = counts.of(k);
    }
}
