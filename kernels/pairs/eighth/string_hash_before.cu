// string_hash_before: hashes of strings of a column, offsets and characters, a thread to a string, characters one by one.
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

extern "C" __global__ void __launch_bounds__(256) string_hash_before(unsigned* __restrict__ out, const unsigned char* __restrict__ letters, const unsigned* __restrict__ offset, int strings, unsigned seed)
{
    const int s = blockIdx.x * 256 + threadIdx.x;
    if (s >= strings) {
        return;
    }
    const unsigned from = offset[s], size = offset[s + 1] - from;
    const unsigned char* text = letters + from;
    Hash hash{seed};
    unsigned i = 0;
    for (; i + 4 <= size; i += 4) {
        hash.word(text[i] | text[i + 1] << 8 | text[i + 2] << 16 | (unsigned)text[i + 3] << 24);
    }
    unsigned tail = 0;
    for (unsigned k = 0; i + k < size; ++k) {
        tail |= (unsigned)text[i + k] << 8 * k;
    }
    out[s] = hash.end(tail, size);
}
