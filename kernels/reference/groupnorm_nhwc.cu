// groupnorm_nhwc: one image and group to a block, sums in double precision by atomics; grid 64, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

#include <cuda_fp16.h>

__global__ void groupnorm_nhwc_ref(__half* out, const __half* in, const float* gamma, const float* beta, unsigned pixels, float epsilon)
{
    __shared__ double sum, squares;
    if (threadIdx.x == 0u) {
        sum = 0.0;
        squares = 0.0;
    }
    __syncthreads();
    const unsigned first = blockIdx.x / 32u * pixels * 512u, channel = blockIdx.x % 32u * 16u;
    double own = 0.0, own_squares = 0.0;
    for (unsigned i = threadIdx.x; i < pixels * 16u; i += 256u) {
        const double value = __half2float(in[first + i / 16u * 512u + channel + i % 16u]);
        own += value;
        own_squares += value * value;
    }
    atomicAdd(&sum, own);
    atomicAdd(&squares, own_squares);
    __syncthreads();
    const double mean = sum / (pixels * 16.0), deviation = sqrt(squares / (pixels * 16.0) - mean * mean + epsilon);
    for (unsigned i = threadIdx.x; i < pixels * 16u; i += 256u) {
        const unsigned at = first + i / 16u * 512u + channel + i % 16u;
        const double value = (__half2float(in[at]) - mean) / deviation * gamma[channel + i % 16u] + beta[channel + i % 16u];
        out[at] = __double2half(value / (1.0 + exp(-value)));
    }
}
