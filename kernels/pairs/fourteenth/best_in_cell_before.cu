// best_in_cell_before: the point of the best score in each cell of a grid: its score and its number.
extern "C" __global__ void __launch_bounds__(256) best_in_cell_before(unsigned int* out, unsigned int* lock, const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ score, int points, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) {
        return;
    }
    const int cell = (int)(y[i] * width) * width + (int)(x[i] * width);
    const unsigned int own = __float_as_uint(score[i]);

    volatile unsigned int* best = out + 2 * cell;
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock[cell], 0u, 1u) == 0u) {
            if (own > best[1] || (own == best[1] && (unsigned int)i > best[0])) {
                best[0] = i;
                best[1] = own;
            }
            __threadfence();
            atomicExch(&lock[cell], 0u);
            done = true;
        }
    }
}
