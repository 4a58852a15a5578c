// powmod_before: powers of numbers modulo an odd number known at run time, products reduced by the remainder of a division.
struct Modulus {
    unsigned m;
    __device__ __forceinline__ unsigned times(unsigned a, unsigned b) const { return (unsigned)((unsigned long long)a * b % m); }
};

__device__ unsigned power(const Modulus& field, unsigned base, unsigned exponent)
{
    unsigned result = 1, square = base % field.m;
    while (exponent) {
        if (exponent & 1) {
            result = field.times(result, square);
        }
        square = field.times(square, square);
        exponent >>= 1;
    }
    return result;
}

extern "C" __global__ void __launch_bounds__(256) powmod_before(unsigned* __restrict__ out, const unsigned* __restrict__ base, const unsigned* __restrict__ exponent, int count, unsigned modulus)
{
    const Modulus field = {modulus};
    for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
        out[i] = power(field, base[i], exponent[i]);
    }
}
