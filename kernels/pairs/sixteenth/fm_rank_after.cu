// fm_rank_after: reads searched backwards in an index of a genome, two bits a base.
#define BASES 16

// How often a base stands before a place: a mark every 128 bases, and those of the block before the place counted.
__device__ __forceinline__ unsigned int before_place(const unsigned int* __restrict__ text, const unsigned int* __restrict__ mark, unsigned int base, unsigned int place)
{
    const unsigned int block = place / 128;
    const int rest = place % 128;
    unsigned int count = mark[block * 4 + base];
    const uint4 a = ((const uint4*)text)[block * 2], b = ((const uint4*)text)[block * 2 + 1];
    const unsigned int word[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    const unsigned int other = ~(base * 0x55555555u);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const unsigned int same = word[k] ^ other;
        const int left = min(max(rest - 16 * k, 0), 16);
        const unsigned int kept = left == 16 ? 0x55555555u : (1u << (2 * left)) - 1 & 0x55555555u;
        count += __popc(same & same >> 1 & kept);
    }
    return count;
}

// A thread to a read, from its last base to its first.
extern "C" __global__ void __launch_bounds__(256) fm_rank_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ text, const unsigned int* __restrict__ mark, const unsigned int* __restrict__ read, unsigned int rows, int reads)
{
    const int r = blockIdx.x * 256 + threadIdx.x;
    if (r >= reads) {
        return;
    }
    const unsigned int bases = read[r];
    unsigned int low = 0, high = rows - 1;
    for (int k = BASES - 1; k >= 0; --k) {
        const unsigned int base = bases >> (2 * k) & 3;
        low = before_place(text, mark, base, low);
        high = before_place(text, mark, base, high);
    }
    out[r] = low;
    out[reads + r] = high;
}
