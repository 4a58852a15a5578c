// minimizers_after: for each window of 24 words of 16 bases, the least hash of a word and where it lies in the window.
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

// A window a thread: a block hashes each word once, into shared memory; the place in the window takes the lowest five bits.
extern "C" __global__ void __launch_bounds__(256) minimizers_after(unsigned int* __restrict__ out, const unsigned char* __restrict__ base, int windows)
{
    __shared__ unsigned int hashes[256 + WORDS - 1];
    const int t = threadIdx.x, first = blockIdx.x * 256;
    for (int p = t; p < 256 + WORDS - 1; p += 256) {
        unsigned int word = 0;
        for (int j = 0; j < K; ++j) {
            word = word << 2 | base[first + p + j];
        }
        hashes[p] = mix(word) & ~31u;
    }
    __syncthreads();
    if (first + t >= windows) {
        return;
    }
    unsigned int least = 0xffffffffu;
    for (int j = 0; j < WORDS; ++j) {
        least = min(least, hashes[t + j] | j);
    }
    out[first + t] = least;
}
