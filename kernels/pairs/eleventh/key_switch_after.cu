// key_switch_after: digits of a ciphertext times the two halves of a switching key, summed modulo a prime below 2^30.
extern "C" __global__ void __launch_bounds__(256) key_switch_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ digit, const unsigned int* __restrict__ key0, const unsigned int* __restrict__ key1, int size, int digits, unsigned int prime)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= size) {
        return;
    }
    unsigned long long first = 0, second = 0;
    for (int k = 0; k < digits; ++k) {
        const int at = k * size + i;
        const unsigned int d = digit[at];
        first += (unsigned long long)d * key0[at];
        second += (unsigned long long)d * key1[at];
    }
    out[i] = (unsigned int)(first % prime);
    out[size + i] = (unsigned int)(second % prime);
}
