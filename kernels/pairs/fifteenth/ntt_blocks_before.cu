// ntt_blocks_before: number-theoretic transform of polynomials of 1,024 coefficients, for encryption on lattices.
#define POINTS 1024

// A block to a polynomial.
extern "C" __global__ void __launch_bounds__(256) ntt_blocks_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ in, const unsigned int* __restrict__ root, unsigned int q)
{
    __shared__ unsigned int s[POINTS];
    const long long first = (long long)blockIdx.x * POINTS;
    for (int i = threadIdx.x; i < POINTS; i += 256) {
        s[i] = in[first + i];
    }
    __syncthreads();
    for (int length = POINTS / 2; length > 0; length /= 2) {
        for (int i = threadIdx.x; i < POINTS / 2; i += 256) {
            const int group = i / length, j = group * 2 * length + i % length;
            const unsigned int w = root[POINTS / 2 / length + group];
            const unsigned int a = s[j];
            const unsigned int b = (unsigned long long)s[j + length] * w % q;
            const unsigned int up = a + b;
            s[j] = up >= q ? up - q : up;
            s[j + length] = a >= b ? a - b : a + q - b;
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < POINTS; i += 256) {
        out[first + i] = s[i];
    }
}
