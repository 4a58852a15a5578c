// sobel_after: size of the gradient of an image, a pixel to a thread, neighbours from a tile in shared memory.
extern "C" __global__ void __launch_bounds__(256) sobel_after(float* out, const float* __restrict__ in, int height, int width)
{
    __shared__ float tile[10][34];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    for (int i = ty * 32 + tx; i < 340; i += 256) {
        const int from_x = min(max((int)blockIdx.x * 32 + i % 34 - 1, 0), width - 1), from_y = min(max((int)blockIdx.y * 8 + i / 34 - 1, 0), height - 1);
        tile[i / 34][i % 34] = in[(long long)from_y * width + from_x];
    }
    __syncthreads();
    const float gx = tile[ty][tx + 2] - tile[ty][tx] + 2.0f * (tile[ty + 1][tx + 2] - tile[ty + 1][tx]) + tile[ty + 2][tx + 2] - tile[ty + 2][tx];
    const float gy = tile[ty + 2][tx] - tile[ty][tx] + 2.0f * (tile[ty + 2][tx + 1] - tile[ty][tx + 1]) + tile[ty + 2][tx + 2] - tile[ty][tx + 2];
    out[(long long)y * width + x] = sqrtf(gx * gx + gy * gy);
}
