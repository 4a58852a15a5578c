// edit_distance_before: Levenshtein distance of pairs of strings, a thread to a pair, one row of the table in an array.
// a and b: strings of 4 * words symbols (two bits of each byte), words of a string `count` apart.
extern "C" __global__ void __launch_bounds__(128) edit_distance_before(unsigned* __restrict__ distance, const unsigned* __restrict__ a,
                                                                      const unsigned* __restrict__ b, unsigned count, int words)
{
    const unsigned i = blockIdx.x * 128u + threadIdx.x;
    int row[65];
    unsigned other[16];
    row[0] = 0;
    for (int w = 0; w < words; ++w) {
        other[w] = b[w * count + i] & 0x03030303u;
        for (int k = 0; k < 4; ++k) {
            row[4 * w + k + 1] = 4 * w + k + 1;
        }
    }
#pragma unroll 1
    for (int r = 0; r < 4 * words; ++r) {
        const unsigned symbol = a[r / 4 * count + i] >> r % 4 * 8 & 3u;
        int diagonal = r, left = r + 1;
        for (int w = 0; w < words; ++w) {
            unsigned four = other[w];
            asm volatile("" : "+r"(four));        // or the compiler takes all the words apart before the loop over rows
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const int up = row[4 * w + k + 1];
                const int change = diagonal + ((four >> 8 * k & 3u) != symbol);
                left = min(change, min(up, left) + 1);
                row[4 * w + k + 1] = left;
                diagonal = up;
            }
        }
    }
    distance[i] = row[4 * words];
}
