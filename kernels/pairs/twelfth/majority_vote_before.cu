// majority_vote_before: class that most trees of a forest give a sample, one of eight.
extern "C" __global__ void __launch_bounds__(256) majority_vote_before(unsigned int* __restrict__ out, const unsigned char* __restrict__ label, int samples, int trees)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= samples) {
        return;
    }
    int count[8] = {};
    for (int t = 0; t < trees; ++t) {
        ++count[label[(long long)t * samples + i] & 7];
    }
    int best = 0;
    for (int k = 1; k < 8; ++k) {
        if (count[k] > count[best]) {
            best = k;
        }
    }
    out[i] = best;
}
