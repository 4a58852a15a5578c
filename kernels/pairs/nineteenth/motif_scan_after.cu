// motif_scan_after: best score of eight motifs of 16 bases at each place of a sequence (weights of position and base).
#define MOTIFS 8
#define LENGTH 16
#define PER_THREAD 16

// 4,096 places of the sequence to a block.
extern "C" __global__ void __launch_bounds__(256) motif_scan_after(int* __restrict__ out, const unsigned char* __restrict__ base, const int* __restrict__ weight, int places)
{
    // Of two bases at once.
    __shared__ int table[MOTIFS * LENGTH / 2 * 16];
    for (int k = threadIdx.x; k < MOTIFS * LENGTH / 2 * 16; k += 256) {
        table[k] = weight[k / 16 * 8 + k % 4] + weight[k / 16 * 8 + 4 + k / 4 % 4];
    }
    __syncthreads();
    for (int j = 0; j < PER_THREAD; ++j) {
        const int i = (blockIdx.x * PER_THREAD + j) * 256 + threadIdx.x;
        if (i >= places) {
            return;
        }
        int best = -2147483647;
        int two[LENGTH / 2];
#pragma unroll
        for (int k = 0; k < LENGTH / 2; ++k) {
            two[k] = base[i + 2 * k] + 4 * base[i + 2 * k + 1];
        }
        for (int m = 0; m < MOTIFS; ++m) {
            int score = 0;
#pragma unroll
            for (int k = 0; k < LENGTH / 2; ++k) {
                score += table[(m * LENGTH / 2 + k) * 16 + two[k]];
            }
            best = max(best, score);
        }
        out[i] = best;
    }
}
