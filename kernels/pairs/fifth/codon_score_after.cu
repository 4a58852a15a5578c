// codon_score_after: hydropathy of the five codons of a word of packed bases, the table of 64 in shared memory.
__constant__ float hydropathy[64] = {
    2.8f, 2.8f, 3.8f, 3.8f, -0.8f, -0.8f, -0.8f, -0.8f, -1.3f, -1.3f, 0.0f, 0.0f, 2.5f, 2.5f, 0.0f, -0.9f,
    3.8f, 3.8f, 3.8f, 3.8f, -1.6f, -1.6f, -1.6f, -1.6f, -3.2f, -3.2f, -3.5f, -3.5f, -4.5f, -4.5f, -4.5f, -4.5f,
    4.5f, 4.5f, 4.5f, 1.9f, -0.7f, -0.7f, -0.7f, -0.7f, -3.5f, -3.5f, -3.9f, -3.9f, -0.8f, -0.8f, -4.5f, -4.5f,
    4.2f, 4.2f, 4.2f, 4.2f, 1.8f, 1.8f, 1.8f, 1.8f, -3.5f, -3.5f, -3.5f, -3.5f, -0.4f, -0.4f, -0.4f, -0.4f,
};

extern "C" __global__ void __launch_bounds__(256) codon_score_after(float* score, const unsigned* __restrict__ bases, int words)
{
    __shared__ float table[64];
    if (threadIdx.x < 64) {
        table[threadIdx.x] = hydropathy[threadIdx.x];
    }
    __syncthreads();
    for (int i = blockIdx.x * 1024 + threadIdx.x, k = 0; k < 4 && i < words; ++k, i += 256) {
        const unsigned w = bases[i];
        float sum = 0.0f;
#pragma unroll
        for (int c = 0; c < 5; ++c) {
            sum += table[(w >> (6 * c)) & 63];
        }
        score[i] = sum;
    }
}
