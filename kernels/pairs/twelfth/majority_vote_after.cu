// majority_vote_after: class that most trees of a forest give a sample, one of eight.
// The eight counts are the bytes of one word of 64 bits: at most 255 trees.
extern "C" __global__ void __launch_bounds__(256) majority_vote_after(unsigned int* __restrict__ out, const unsigned char* __restrict__ label, int samples, int trees)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= samples) {
        return;
    }
    unsigned long long count = 0;
    for (int t = 0; t < trees; ++t) {
        count += 1ull << (8 * (label[(long long)t * samples + i] & 7));
    }
    int best = 0;
    unsigned int most = count & 255;
#pragma unroll
    for (int k = 1; k < 8; ++k) {
        const unsigned int votes = count >> (8 * k) & 255;
        if (votes > most) {
            most = votes;
            best = k;
        }
    }
    out[i] = best;
}
