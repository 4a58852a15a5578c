// minimizers_before: for each window of 24 words of 16 bases, the least hash of a word and where it lies in the window.
#define K 16
#define WORDS 24

__device__ __forceinline__ unsigned int mix(unsigned int x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

// A window a thread: the place in the window takes the lowest five bits of a hash.
extern "C" __global__ void __launch_bounds__(256) minimizers_before(unsigned int* __restrict__ out, const unsigned char* __restrict__ base, int windows)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= windows) {
        return;
    }
    unsigned int word = 0;
    for (int j = 0; j < K - 1; ++j) {
        word = word << 2 | base[i + j];
    }
    unsigned int least = 0xffffffffu;
    for (int j = 0; j < WORDS; ++j) {
        word = word << 2 | base[i + K - 1 + j];
        least = min(least, (mix(word) & ~31u) | j);
    }
    out[i] = least;
}
