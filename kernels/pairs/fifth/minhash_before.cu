// minhash_before: signatures of documents by 128 hashes (a x + b) modulo 2^31 - 1 over 512 shingles, a thread to a hash, by the operator %.
extern "C" __global__ void __launch_bounds__(128) minhash_before(unsigned* signature, const unsigned* __restrict__ shingle, const unsigned* __restrict__ a, const unsigned* __restrict__ b, unsigned prime)
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
        const unsigned h = unsigned(v % prime);
        least = min(least, h);
    }
    signature[blockIdx.x * 128 + t] = least;
}
