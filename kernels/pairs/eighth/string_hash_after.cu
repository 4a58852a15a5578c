// string_hash_after: hashes of strings of a column, offsets and characters, a thread to a string, aligned words shifted into place.
struct Hash {
    unsigned h;
    static __device__ __forceinline__ unsigned mix(unsigned k)
    {
        k *= 0xcc9e2d51u;
        return __funnelshift_l(k, k, 15) * 0x1b873593u;
    }
    __device__ __forceinline__ void word(unsigned k)
    {
        h ^= mix(k);
        h = __funnelshift_l(h, h, 13) * 5 + 0xe6546b64u;
    }
    __device__ __forceinline__ unsigned end(unsigned tail, unsigned size)
    {
        h ^= mix(tail) ^ size;
        h = (h ^ h >> 16) * 0x85ebca6bu;
        h = (h ^ h >> 13) * 0xc2b2ae35u;
        return h ^ h >> 16;
    }
};

extern "C" __global__ void __launch_bounds__(256) string_hash_after(unsigned* __restrict__ out, const unsigned char* __restrict__ letters, const unsigned* __restrict__ offset, int strings, unsigned seed)
{
    const int s = blockIdx.x * 256 + threadIdx.x;
    if (s >= strings) {
        return;
    }
    const unsigned from = offset[s], size = offset[s + 1] - from, shift = from % 4 * 8;
    const unsigned* word = reinterpret_cast<const unsigned*>(letters) + from / 4;
    Hash hash{seed};
    unsigned low = *word, left = size;
    for (; left >= 4; left -= 4) {
        const unsigned high = *++word;
        hash.word(__funnelshift_r(low, high, shift));
        low = high;
    }
    unsigned tail = 0;
    if (left) {
        const unsigned high = from % 4 + left > 4 ? word[1] : 0;
        tail = __funnelshift_r(low, high, shift) & (1u << 8 * left) - 1;
    }
    out[s] = hash.end(tail, size);
}
