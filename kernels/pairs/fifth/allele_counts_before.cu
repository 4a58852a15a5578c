// allele_counts_before: genotypes of two bits counted by kind for each variant, a thread to a variant.
extern "C" __global__ void __launch_bounds__(256) allele_counts_before(unsigned* count, const unsigned* __restrict__ genotype, int variants, int words)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= variants) {
        return;
    }
    const unsigned* row = genotype + (long long)v * words;
    unsigned both = 0, one = 0, missing = 0;
    for (int i = 0; i < words; ++i) {
        const unsigned g = row[i], low = g & 0x55555555u, high = (g >> 1) & 0x55555555u;
        both += __popc(low & high);
        one += __popc(high & ~low);
        missing += __popc(low & ~high);
    }
    count[v] = both;
    count[variants + v] = one;
    count[2 * variants + v] = missing;
}
