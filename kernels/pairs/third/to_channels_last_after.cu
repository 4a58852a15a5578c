// to_channels_last_after: [images, channels, pixels] to [images, pixels, channels] through tiles of 32 x 32 in shared memory, rows of the tile padded by 4 bytes.
extern "C" __global__ void __launch_bounds__(256) to_channels_last_after(float* out, const float* __restrict__ in, int channels, int pixels)
{
    __shared__ float tile[32][33];
    const int x = threadIdx.x, pixel = blockIdx.x * 32, channel = blockIdx.y * 32;
    const long long image = (long long)blockIdx.z * channels * pixels;
#pragma unroll
    for (int y = threadIdx.y; y < 32; y += 8) {
        tile[y][x] = in[image + (long long)(channel + y) * pixels + pixel + x];
    }
    __syncthreads();
#pragma unroll
    for (int y = threadIdx.y; y < 32; y += 8) {
        out[image + (long long)(pixel + y) * channels + channel + x] = tile[x][y];
    }
}
