// like_rows_before: which strings of a column hold a pattern (LIKE '%pattern%').
// A string a thread.
extern "C" __global__ void __launch_bounds__(256) like_rows_before(unsigned char* __restrict__ out, const unsigned int* __restrict__ start, const unsigned char* __restrict__ text, const unsigned char* __restrict__ pattern, int length, int rows)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= rows) {
        return;
    }
    const int begin = start[i], end = start[i + 1];
    int found = 0;
    for (int p = begin; p + length <= end; ++p) {
        int k = 0;
        while (k < length && text[p + k] == pattern[k]) {
            ++k;
        }
        if (k == length) {
            found = 1;
            break;
        }
    }
    out[i] = (unsigned char)found;
}
