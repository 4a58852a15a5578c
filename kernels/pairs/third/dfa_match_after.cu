// dfa_match_after: lines of 128 bytes through an automaton of 32 states and 64 classes, a line to a thread, sixteen bytes a load.
// hits: how often a line comes to state 0.
extern "C" __global__ void __launch_bounds__(256) dfa_match_after(unsigned* hits, const uint4* __restrict__ text, const unsigned* __restrict__ table)
{
    __shared__ unsigned char step[2048];
    for (int i = threadIdx.x; i < 2048; i += 256) {
        step[i] = static_cast<unsigned char>(table[i]);
    }
    __syncthreads();
    const int row = blockIdx.x * 256 + threadIdx.x;
    const uint4* line = text + (long long)row * (128 / sizeof(uint4));
    unsigned state = 1, found = 0;
    for (int i = 0; i < 8; ++i) {
        const uint4 v = line[i];
        const unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int b = 0; b < 16; ++b) {
            state = step[state * 64 + (word[b / 4] >> b % 4 * 8 & 63)];
            found += state == 0;
        }
    }
    hits[row] = found;
}
