// viterbi_before: Viterbi of 64 states, a block to a sequence, a thread to a state, transitions and scores in shared memory.
// emission: [sequences, steps, 64]; back: the best state before, [sequences, steps, 64]; last: scores at the end.
extern "C" __global__ void __launch_bounds__(64) viterbi_before(float* last, signed char* back, const float* __restrict__ emission, const float* __restrict__ transition, int steps)
{
    __shared__ __align__(16) float score[2][64];
    __shared__ float moves[64][64];
    const int j = threadIdx.x;
    const long long first = (long long)blockIdx.x * steps * 64 + j;
    for (int i = 0; i < 64; ++i) {
        moves[i][j] = transition[i * 64 + j];
    }
    score[0][j] = 0.0f;
    __syncthreads();
    float next = emission[first];
    for (int step = 0; step < steps; ++step) {
        const float now = next;
        next = step + 1 < steps ? emission[first + (step + 1) * 64] : 0.0f;
        float best = -1e30f;
        int from = 0;
#pragma unroll
        for (int i = 0; i < 64; ++i) {
            const float v = score[step & 1][i] + moves[i][j];
            if (v > best) {
                best = v;
                from = i;
            }
        }
        score[(step & 1) ^ 1][j] = best + now;
        back[first + step * 64] = static_cast<signed char>(from);
        __syncthreads();
    }
    last[blockIdx.x * 64 + j] = score[steps & 1][j];
}
