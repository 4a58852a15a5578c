// bloom_probe_after: keys of a join looked up in a Bloom filter of the other side.
#define PROBES 4

__device__ __forceinline__ unsigned int mix(unsigned int x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

extern "C" __global__ void __launch_bounds__(256) bloom_probe_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ key, const unsigned int* __restrict__ filter, unsigned int mask, int keys)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < keys; i += gridDim.x * 256) {
        const unsigned int h = mix(key[i]), step = mix(h) | 1;
        unsigned int bit = h;
        int k = 0;
        for (; k < PROBES; ++k) {
            const unsigned int b = bit & mask;
            if (!(filter[b >> 5] >> (b & 31) & 1)) {
                break;
            }
            bit += step;
        }
        out[i] = k == PROBES;
    }
}
