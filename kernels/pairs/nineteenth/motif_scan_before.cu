// motif_scan_before: best score of eight motifs of 16 bases at each place of a sequence (weights of position and base).
#define MOTIFS 8
#define LENGTH 16
#define PER_THREAD 16

// 4,096 places of the sequence to a block.
extern "C" __global__ void __launch_bounds__(256) motif_scan_before(int* __restrict__ out, const unsigned char* __restrict__ base, const int* __restrict__ weight, int places)
{
    __shared__ int table[MOTIFS * LENGTH * 4];
    for (int k = threadIdx.x; k < MOTIFS * LENGTH * 4; k += 256) {
        table[k] = weight[k];
    }
    __syncthreads();
    for (int j = 0; j < PER_THREAD; ++j) {
        const int i = (blockIdx.x * PER_THREAD + j) * 256 + threadIdx.x;
        if (i >= places) {
            return;
        }
        int best = -2147483647;
        for (int m = 0; m < MOTIFS; ++m) {
            int score = 0;
#pragma unroll
            for (int k = 0; k < LENGTH; ++k) {
                score += table[(m * LENGTH + k) * 4 + base[i + k]];
            }
            best = max(best, score);
        }
        out[i] = best;
    }
}
