// dfa_match_before: lines of 128 bytes through an automaton of 32 states and 64 classes, a line to a thread, a byte a load.
// hits: how often a line comes to state 0.
extern "C" __global__ void __launch_bounds__(256) dfa_match_before(unsigned* hits, const unsigned char* __restrict__ text, const unsigned* __restrict__ table)
{
    __shared__ unsigned char step[2048];
    for (int i = threadIdx.x; i < 2048; i += 256) {
        step[i] = static_cast<unsigned char>(table[i]);
    }
    __syncthreads();
    const int row = blockIdx.x * 256 + threadIdx.x;
    const unsigned char* line = text + (long long)row * (128 / sizeof(unsigned char));
    unsigned state = 1, found = 0;
    for (int i = 0; i < 128; ++i) {
        state = step[state * 64 + (line[i] & 63)];
        found += state == 0;
    }
    hits[row] = found;
}
