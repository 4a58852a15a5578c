// bitonic_before: sorts segments of 1,024 keys, a block to a segment and a thread to a pair, every step through shared memory.
__global__ void __launch_bounds__(512) bitonic_before(unsigned* out, const unsigned* in)
{
    __shared__ unsigned key[1024];
    const unsigned t = threadIdx.x;
    const unsigned long long base = blockIdx.x * 1024ull;
    key[t] = in[base + t];
    key[t + 512u] = in[base + t + 512u];
    for (unsigned k = 2; k <= 1024u; k *= 2u) {
        for (unsigned j = k / 2u; j > 0u; j /= 2u) {
            __syncthreads();
            const unsigned low = 2u * t - (t & (j - 1u)), high = low + j;
            const unsigned a = key[low], b = key[high];
            if ((a > b) == ((low & k) == 0u)) {
                key[low] = b;
                key[high] = a;
            }
        }
    }
    __syncthreads();
    out[base + t] = key[t];
    out[base + t + 512u] = key[t + 512u];
}
