// like_rows_after: which strings of a column hold a pattern (LIKE '%pattern%').
#define LONGEST 64

// A string a thread; the block first brings all its strings, which lie one after the other, to shared memory.
extern "C" __global__ void __launch_bounds__(256) like_rows_after(unsigned char* __restrict__ out, const unsigned int* __restrict__ start, const unsigned char* __restrict__ text, const unsigned char* __restrict__ pattern, int length, int rows)
{
    __shared__ uint4 staged[256 * LONGEST / 16 + 2];
    const int first = blockIdx.x * 256, last = min(first + 256, rows);
    const int low = start[first] & ~15, high = start[last];
    for (int p = low + 16 * threadIdx.x; p < high; p += 16 * 256) {
        staged[(p - low) / 16] = *(const uint4*)(text + p);
    }
    __syncthreads();
    const unsigned char* near_text = (const unsigned char*)staged;
    const int i = first + threadIdx.x;
    if (i >= rows) {
        return;
    }
    const int begin = start[i] - low, end = start[i + 1] - low;
    int found = 0;
    for (int p = begin; p + length <= end; ++p) {
        int k = 0;
        while (k < length && near_text[p + k] == pattern[k]) {
            ++k;
        }
        if (k == length) {
            found = 1;
            break;
        }
    }
    out[i] = (unsigned char)found;
}
