// powmod_after: powers of numbers modulo an odd number known at run time, products reduced as Montgomery does.
struct Modulus {
    unsigned m, negative, one, square;
    __device__ __forceinline__ explicit Modulus(unsigned modulus)
        : m(modulus)
    {
        unsigned inverse = m;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            inverse *= 2 - m * inverse;
        }
        negative = 0u - inverse;
        one = (unsigned)((1ull << 32) % m);
        square = (unsigned)((unsigned long long)one * one % m);
    }
    __device__ __forceinline__ unsigned times(unsigned a, unsigned b) const
    {
        const unsigned long long product = (unsigned long long)a * b;
        const unsigned high = (unsigned)((product + (unsigned long long)((unsigned)product * negative) * m) >> 32);
        return min(high, high - m);
    }
};

__device__ unsigned power(const Modulus& field, unsigned base, unsigned exponent)
{
    unsigned result = field.one, square = field.times(base % field.m, field.square);
    while (exponent) {
        if (exponent & 1) {
            result = field.times(result, square);
        }
        square = field.times(square, square);
        exponent >>= 1;
    }
    return field.times(result, 1);
}

extern "C" __global__ void __launch_bounds__(256) powmod_after(unsigned* __restrict__ out, const unsigned* __restrict__ base, const unsigned* __restrict__ exponent, int count, unsigned modulus)
{
    const Modulus field(modulus);
    for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
        out[i] = power(field, base[i], exponent[i]);
    }
}
