// batch_stats_before: sums and sums of squares of the channels of a batch, for batch normalisation.
// A column of blocks to a channel; the blocks of a column share the images.
extern "C" __global__ void __launch_bounds__(256) batch_stats_before(float* __restrict__ out, const float* __restrict__ in, int images, int channels, int plane)
{
    __shared__ float part[2][8];
    const int channel = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0.0f, squares = 0.0f;
    for (int n = blockIdx.y; n < images; n += gridDim.y) {
        const float* from = in + ((long long)n * channels + channel) * plane;
        for (int i = threadIdx.x; i < plane; i += 256) {
            const float v = from[i];
            sum += v;
            squares += v * v;
        }
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
        squares += __shfl_xor_sync(0xffffffffu, squares, step);
    }
    if (lane == 0) {
        part[0][warp] = sum;
        part[1][warp] = squares;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        float all = 0.0f;
        for (int k = 0; k < 8; ++k) {
            all += part[threadIdx.x][k];
        }
        atomicAdd(&out[threadIdx.x * channels + channel], all);
    }
}
