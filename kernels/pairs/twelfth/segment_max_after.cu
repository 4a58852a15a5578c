// segment_max_after: largest value of each group of a table sorted by group, a block to a group.
#include <math_constants.h>

extern "C" __global__ void segment_max_after(float* __restrict__ out, const float* __restrict__ value, const unsigned int* __restrict__ start, int segments)
{
    __shared__ float best[1024];
    const int segment = blockIdx.x;
    const unsigned int to = start[segment + 1];
    float v = -CUDART_INF_F;
    for (unsigned int i = start[segment] + threadIdx.x; i < to; i += blockDim.x) {
        v = fmaxf(v, value[i]);
    }
    best[threadIdx.x] = v;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[segment] = best[0];
    }
}
