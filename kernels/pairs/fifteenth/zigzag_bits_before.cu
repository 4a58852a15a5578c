// zigzag_bits_before: bits that each block of 8 x 8 coefficients of a picture will take, runs of zeros in zigzag order.
#define PITCH 64

__constant__ int zigzag[64] = {
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// A thread to a block of 8 x 8, coefficients (their sign in the lowest bit) through shared memory so that loads lie side by side.
extern "C" __global__ void __launch_bounds__(128) zigzag_bits_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ coefficient, int tiles)
{
    __shared__ unsigned int s[128 * PITCH];
    const int first = blockIdx.x * 128;
    for (int i = threadIdx.x; i < 128 * 64; i += 128) {
        s[i / 64 * PITCH + i % 64] = coefficient[(long long)first * 64 + i];
    }
    __syncthreads();
    const unsigned int* own = s + threadIdx.x * PITCH;
    unsigned int bits = 9;
    int run = 0;
    for (int k = 1; k < 64; ++k) {
        const unsigned int v = own[zigzag[k]] >> 1;
        if (v == 0) {
            ++run;
        } else {
            const int size = 32 - __clz(v);
            bits += (run >> 4) * 11 + min(2 + (run & 15) + size, 16) + size;
            run = 0;
        }
    }
    if (run > 0) {
        bits += 4;
    }
    out[first + threadIdx.x] = bits;
}
