// best_in_cell_after: the point of the best score in each cell of a grid: its score and its number.
extern "C" __global__ void __launch_bounds__(256) best_in_cell_after(unsigned int* out, unsigned int* lock, const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ score, int points, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) {
        return;
    }
    const int cell = (int)(y[i] * width) * width + (int)(x[i] * width);
    const unsigned int own = __float_as_uint(score[i]);

    atomicMax((unsigned long long*)out + cell, (unsigned long long)own << 32 | (unsigned int)i);
}
