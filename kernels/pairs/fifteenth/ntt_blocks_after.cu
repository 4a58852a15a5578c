// ntt_blocks_after: number-theoretic transform of polynomials of 1,024 coefficients, for encryption on lattices.
#define POINTS 1024

// Remainder by a product with the reciprocal of q and at most one subtraction.
__device__ __forceinline__ unsigned int remainder_of(unsigned long long x, unsigned int q, unsigned long long reciprocal)
{
    const unsigned int r = (unsigned int)x - (unsigned int)__umul64hi(x, reciprocal) * q;
    return r >= q ? r - q : r;
}

// A block to a polynomial.
extern "C" __global__ void __launch_bounds__(256) ntt_blocks_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ in, const unsigned int* __restrict__ root, unsigned int q)
{
    __shared__ unsigned int s[POINTS];
    const long long first = (long long)blockIdx.x * POINTS;
    const unsigned long long reciprocal = ~0ull / q;
    for (int i = threadIdx.x; i < POINTS; i += 256) {
        s[i] = in[first + i];
    }
    __syncthreads();
    for (int length = POINTS / 2; length > 0; length /= 2) {
        for (int i = threadIdx.x; i < POINTS / 2; i += 256) {
            const int group = i / length, j = group * 2 * length + i % length;
            const unsigned int w = root[POINTS / 2 / length + group];
            const unsigned int a = s[j];
            const unsigned int b = remainder_of((unsigned long long)s[j + length] * w, q, reciprocal);
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
