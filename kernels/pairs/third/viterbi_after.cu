// viterbi_after: Viterbi of 64 states, a block to a sequence, a thread to a state, a column of transitions in registers, scores in shared memory.
// emission: [sequences, steps, 64]; back: the best state before, [sequences, steps, 64]; last: scores at the end.
extern "C" __global__ void __launch_bounds__(64) viterbi_after(float* last, signed char* back, const float* __restrict__ emission, const float* __restrict__ transition, int steps)
{
    __shared__ __align__(16) float score[2][64];
    float moves[64];
    const int j = threadIdx.x;
    const long long first = (long long)blockIdx.x * steps * 64 + j;
#pragma unroll
    for (int i = 0; i < 64; ++i) {
        moves[i] = transition[i * 64 + j];
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
        for (int i = 0; i < 64; i += 4) {
            const float4 s = *reinterpret_cast<const float4*>(&score[step & 1][i]);
            const float v[4] = {s.x + moves[i], s.y + moves[i + 1], s.z + moves[i + 2], s.w + moves[i + 3]};
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                if (v[e] > best) {
                    best = v[e];
                    from = i + e;
                }
            }
        }
        score[(step & 1) ^ 1][j] = best + now;
        back[first + step * 64] = static_cast<signed char>(from);
        __syncthreads();
    }
    last[blockIdx.x * 64 + j] = score[steps & 1][j];
}
