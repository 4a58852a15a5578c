// ring_product_before: products of polynomials of 4,096 coefficients with a fixed one, modulo x^4096 - 1 and a prime, by number-theoretic
// transforms of radix 16 in shared memory, a block to a polynomial; words of shared memory in order.
#define PRIME 998244353u
#define NEGATIVE 998244351u

__device__ __forceinline__ unsigned times(unsigned a, unsigned b)
{
    const unsigned long long product = (unsigned long long)a * b;
    const unsigned m = (unsigned)product * NEGATIVE;
    const unsigned high = (unsigned)((product + (unsigned long long)m * PRIME) >> 32);
    return min(high, high - PRIME);
}

__device__ __forceinline__ unsigned plus(unsigned a, unsigned b) { return min(a + b, a + b - PRIME); }

__device__ __forceinline__ unsigned minus(unsigned a, unsigned b) { return min(a - b, a - b + PRIME); }

__device__ __forceinline__ int place(int i) { return i; }

template <int H> __device__ __forceinline__ void forward(unsigned* data, const unsigned* __restrict__ root)
{
    const int t = threadIdx.x, r = t % H, base = t / H * 16 * H + r;
    unsigned v[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        v[k] = data[place(base) + place(k * H)];
    }
#pragma unroll
    for (int half = 8; half; half /= 2) {
        unsigned w[8];
#pragma unroll
        for (int k = 0; k < half; ++k) {
            w[k] = root[half * H + r + k * H];
        }
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            if ((k & half) == 0) {
                const unsigned a = v[k], b = v[k + half];
                v[k] = plus(a, b);
                v[k + half] = times(a - b + PRIME, w[k % half]);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        data[place(base) + place(k * H)] = v[k];
    }
}

template <int H> __device__ __forceinline__ void inverse(unsigned* data, const unsigned* __restrict__ root)
{
    const int t = threadIdx.x, r = t % H, base = t / H * 16 * H + r;
    unsigned v[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        v[k] = data[place(base) + place(k * H)];
    }
#pragma unroll
    for (int half = 1; half < 16; half *= 2) {
        unsigned w[8];
#pragma unroll
        for (int k = 0; k < half; ++k) {
            w[k] = root[half * H + r + k * H];
        }
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            if ((k & half) == 0) {
                const unsigned a = v[k], b = times(v[k + half], w[k % half]);
                v[k] = plus(a, b);
                v[k + half] = minus(a, b);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        data[place(base) + place(k * H)] = v[k];
    }
}

extern "C" __global__ void __launch_bounds__(256, 4) ring_product_before(unsigned* out, const unsigned* __restrict__ in, const unsigned* __restrict__ fixed, const unsigned* __restrict__ root, const unsigned* __restrict__ back)
{
    __shared__ unsigned data[4096];
    const int t = threadIdx.x;
    const long long first = (long long)blockIdx.x * 4096;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        data[place(t) + place(k * 256)] = in[first + k * 256 + t];
    }
    __syncthreads();
    forward<256>(data, root);
    __syncthreads();
    forward<16>(data, root);
    __syncthreads();
    forward<1>(data, root);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        data[place(t) + place(k * 256)] = times(data[place(t) + place(k * 256)], fixed[k * 256 + t]);
    }
    __syncthreads();
    inverse<1>(data, back);
    __syncthreads();
    inverse<16>(data, back);
    __syncthreads();
    inverse<256>(data, back);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        out[first + k * 256 + t] = data[place(t) + place(k * 256)];
    }
}
