// sha256_nodes: one message to a thread, the whole schedule in an array, constants as the cube roots of primes; grid 8192, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__device__ unsigned rotated(unsigned x, unsigned by)
{
    return x >> by | x << (32u - by);
}

// The first 32 bits behind the point of the square or cube root of a prime.
__device__ unsigned fraction(double root)
{
    return static_cast<unsigned>((root - floor(root)) * 4294967296.0);
}

__device__ unsigned next_prime(unsigned after)
{
    for (unsigned number = after + 1u;; ++number) {
        bool prime = true;
        for (unsigned divisor = 2u; divisor * divisor <= number; ++divisor) {
            prime = prime && number % divisor != 0u;
        }
        if (prime) {
            return number;
        }
    }
}

__global__ void sha256_nodes_ref(unsigned* out, const unsigned* in)
{
    const unsigned message = blockIdx.x * 256u + threadIdx.x;
    unsigned constant[64], state[8], word[64];
    for (unsigned i = 0, prime = 1u; i < 64u; ++i) {
        prime = next_prime(prime);
        constant[i] = fraction(cbrt(static_cast<double>(prime)));
        if (i < 8u) {
            state[i] = fraction(sqrt(static_cast<double>(prime)));
        }
    }
    for (unsigned block = 0; block < 2u; ++block) {
        for (unsigned i = 0; i < 16u; ++i) {
            word[i] = block == 0u ? in[message * 16u + i] : i == 0u ? 0x80000000u : i == 15u ? 512u : 0u;
        }
        for (unsigned i = 16; i < 64u; ++i) {
            const unsigned x = word[i - 15u], y = word[i - 2u];
            word[i] = word[i - 16u] + (rotated(x, 7u) ^ rotated(x, 18u) ^ x >> 3) + word[i - 7u] +
                      (rotated(y, 17u) ^ rotated(y, 19u) ^ y >> 10);
        }
        unsigned a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
        for (unsigned i = 0; i < 64u; ++i) {
            const unsigned first = h + (rotated(e, 6u) ^ rotated(e, 11u) ^ rotated(e, 25u)) + ((e & f) ^ (~e & g)) + constant[i] + word[i];
            const unsigned second = (rotated(a, 2u) ^ rotated(a, 13u) ^ rotated(a, 22u)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + first;
            d = c;
            c = b;
            b = a;
            a = first + second;
        }
        const unsigned added[8] = {a, b, c, d, e, f, g, h};
        for (unsigned i = 0; i < 8u; ++i) {
            state[i] += added[i];
        }
    }
    for (unsigned i = 0; i < 8u; ++i) {
        out[message * 8u + i] = state[i];
    }
}
