// groupnorm_nhwc: group normalisation with SiLU behind it, as in the decoder of an image model: two images of 128 x 128 pixels, 512
// channels in 32 groups, channels last, in half precision.
//
// Shows:      one block to each image and group, a channel of a pixel to a thread, 1024 turns of 2 bytes a lane for each of two passes.
// Limiter:    the launch: 64 blocks of eight warps for 132 multiprocessors, half of which stand still; the others hold at most 2 KiB
//             of loads in flight where bandwidth times latency asks for 25: 256 turns of four loads and 1024 of one, some 300 us for
//             the 64 MiB that take device memory 16.
// Lever:      pixels of a group split over blocks (sums first, then the normalisation, or a cluster to a group); 16 bytes a lane.
// Shape:      images = 2, pixels = 16384, channels = 512 in 32 groups (32 MiB in, 32 MiB out).
// Launch:     grid 64 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  __half* out [images * pixels * 512], const __half* in [images * pixels * 512], const float* gamma [512],
//             const float* beta [512], unsigned pixels, float epsilon
// Result:     out == y / (1 + exp(-y)) with y == (in - mean) / sqrt(variance + epsilon) * gamma + beta, both over image and group

#include <cuda_fp16.h>

__device__ float total_of_block(float value)
{
    __shared__ float partial[8];
    __syncthreads();
#pragma unroll
    for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    if (threadIdx.x % 32u == 0u) {
        partial[threadIdx.x / 32u] = value;
    }
    __syncthreads();
    value = 0.0f;
#pragma unroll
    for (unsigned warp = 0; warp < 8u; ++warp) {
        value += partial[warp];
    }
    return value;
}

__global__ void __launch_bounds__(256)
    groupnorm_nhwc(__half* __restrict__ out, const __half* __restrict__ in, const float* __restrict__ gamma,
                   const float* __restrict__ beta, unsigned pixels, float epsilon)
{
    const unsigned group = blockIdx.x % 32u, image = blockIdx.x / 32u, channel = group * 16u + threadIdx.x % 16u;
    const unsigned first = image * pixels * 512u + channel;
    float sum = 0.0f, squares = 0.0f;
    for (unsigned pixel = threadIdx.x / 16u; pixel < pixels; pixel += 16u) {
        const float value = __half2float(in[first + pixel * 512u]);
        sum += value;
        squares += value * value;
    }
    const float count = pixels * 16.0f;
    const float mean = total_of_block(sum) / count;
    const float variance = total_of_block(squares) / count - mean * mean;
    const float scale = gamma[channel] * rsqrtf(variance + epsilon);
    const float shift = beta[channel] - mean * scale;
    for (unsigned pixel = threadIdx.x / 16u; pixel < pixels; pixel += 16u) {
        const float value = __half2float(in[first + pixel * 512u]) * scale + shift;
        out[first + pixel * 512u] = __float2half_rn(value / (1.0f + __expf(-value)));
    }
}
