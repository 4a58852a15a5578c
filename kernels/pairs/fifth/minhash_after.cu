// minhash_after: signatures of documents by 128 hashes (a x + b) modulo 2^31 - 1 over 512 shingles, a thread to a hash, by folding the high bits.
extern "C" __global__ void __launch_bounds__(128) minhash_after(unsigned* signature, const unsigned* __restrict__ shingle, const unsigned* __restrict__ a, const unsigned* __restrict__ b, unsigned prime)
{
    __shared__ unsigned part[512];
    const int t = threadIdx.x;
    for (int i = t; i < 512; i += 128) {
        part[i] = shingle[(long long)blockIdx.x * 512 + i];
    }
    __syncthreads();
    const unsigned scale = a[t], shift = b[t];
    unsigned least = ~0u;
#pragma unroll 4
    for (int i = 0; i < 512; ++i) {
        const unsigned long long v = (unsigned long long)scale * part[i] + shift;
        const unsigned once = (unsigned(v) & prime) + (unsigned(v >> 31) & prime);
        unsigned h = (once & prime) + (once >> 31) + unsigned(v >> 62);
        h = h >= prime ? h - prime : h;
        least = min(least, h);
    }
    signature[blockIdx.x * 128 + t] = least;
}
