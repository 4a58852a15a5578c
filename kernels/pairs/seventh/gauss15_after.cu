// gauss15_after: blur of an image by 15 x 15 weights that are products of 15 with themselves, a tile in shared memory, rows first, then columns.
template <int Radius, int Width, int Height> struct Tile {
    float pixel[Height + 2 * Radius][Width + 2 * Radius];
    __device__ __forceinline__ void load(const float* __restrict__ image, int width, int height, int x0, int y0)
    {
        for (int y = threadIdx.y; y < Height + 2 * Radius; y += Height) {
            for (int x = threadIdx.x; x < Width + 2 * Radius; x += Width) {
                const int gx = min(max(x0 + x - Radius, 0), width - 1), gy = min(max(y0 + y - Radius, 0), height - 1);
                pixel[y][x] = image[(long long)gy * width + gx];
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(256) gauss15_after(float* __restrict__ out, const float* __restrict__ image, const float* __restrict__ weight, int width, int height)
{
    constexpr int R = 7, N = 2 * R + 1;
    __shared__ Tile<R, 32, 8> tile;
    __shared__ float across[8 + 2 * R][32];
    const int x = threadIdx.x, y = threadIdx.y;
    float w[N];
#pragma unroll
    for (int k = 0; k < N; ++k) {
        w[k] = weight[k];
    }
    tile.load(image, width, height, blockIdx.x * 32, blockIdx.y * 8);
    __syncthreads();
    for (int row = y; row < 8 + 2 * R; row += 8) {
        float sum = 0.0f;
#pragma unroll
        for (int dx = 0; dx < N; ++dx) {
            sum += w[dx] * tile.pixel[row][x + dx];
        }
        across[row][x] = sum;
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int dy = 0; dy < N; ++dy) {
        sum += w[dy] * across[y + dy][x];
    }
    const int gx = blockIdx.x * 32 + x, gy = blockIdx.y * 8 + y;
    if (gx < width && gy < height) {
        out[(long long)gy * width + gx] = sum;
    }
}
