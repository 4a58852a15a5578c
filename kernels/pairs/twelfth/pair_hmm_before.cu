// pair_hmm_before: likelihood of a read of 128 bases given a haplotype of 192, as odds against the background.
#define READ 128
#define HAPLOTYPE 192

// A thread to each base of the read; the cells of an antidiagonal at once.
extern "C" __global__ void __launch_bounds__(READ) pair_hmm_before(float* __restrict__ out, const unsigned char* __restrict__ read, const unsigned char* __restrict__ haplotype, float stay, float open, float close, float extend)
{
    __shared__ float m[3][READ + 1], x[3][READ + 1], y[3][READ + 1];
    __shared__ unsigned char bases[HAPLOTYPE];
    const int t = threadIdx.x, pair = blockIdx.x;
    for (int j = t; j < HAPLOTYPE; j += READ) {
        bases[j] = haplotype[pair * HAPLOTYPE + j] & 3;
    }
    const int own = read[pair * READ + t] & 3;
    for (int k = 0; k < 3; ++k) {
        m[k][t + 1] = x[k][t + 1] = y[k][t + 1] = 0.0f;
        if (t == 0) {
            m[k][0] = x[k][0] = 0.0f;
            y[k][0] = 0x1p64f / HAPLOTYPE;
        }
    }
    __syncthreads();
    float sum = 0.0f;
    int now = 0, last = 2, older = 1;
    for (int s = 0; s < READ + HAPLOTYPE - 1; ++s) {
        const int j = s - t;
        if (j >= 0 && j < HAPLOTYPE) {
            const float odds = bases[j] == own ? 3.7f : 0.1f;
            const float match = odds * (stay * m[older][t] + close * (x[older][t] + y[older][t]));
            const float insert = open * m[last][t] + extend * x[last][t];
            m[now][t + 1] = match;
            x[now][t + 1] = insert;
            y[now][t + 1] = open * m[last][t + 1] + extend * y[last][t + 1];
            sum += match + insert;
        }
        __syncthreads();
        const int next = older;
        older = last;
        last = now;
        now = next;
    }
    if (t == READ - 1) {
        out[pair] = sum;
    }
}
