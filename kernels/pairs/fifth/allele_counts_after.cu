// allele_counts_after: genotypes of two bits counted by kind for each variant, a warp to a variant.
extern "C" __global__ void __launch_bounds__(256) allele_counts_after(unsigned* count, const unsigned* __restrict__ genotype, int variants, int words)
{
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (v >= variants) {
        return;
    }
    const unsigned* row = genotype + (long long)v * words;
    unsigned both = 0, one = 0, missing = 0;
#pragma unroll 4
    for (int i = lane; i < words; i += 32) {
        const unsigned g = row[i], low = g & 0x55555555u, high = (g >> 1) & 0x55555555u;
        both += __popc(low & high);
        one += __popc(high & ~low);
        missing += __popc(low & ~high);
    }
    both = __reduce_add_sync(~0u, both);
    one = __reduce_add_sync(~0u, one);
    missing = __reduce_add_sync(~0u, missing);
    if (lane == 0) {
        count[v] = both;
        count[variants + v] = one;
        count[2 * variants + v] = missing;
    }
}
