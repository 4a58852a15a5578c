// gauss15_before: blur of an image by 15 x 15 weights, a tile in shared memory, all 225 products of each pixel.
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

extern "C" __global__ void __launch_bounds__(256) gauss15_before(float* __restrict__ out, const float* __restrict__ image, const float* __restrict__ weight, int width, int height)
{
    constexpr int R = 7, N = 2 * R + 1;
    __shared__ Tile<R, 32, 8> tile;
    __shared__ float product[N][N];
    const int x = threadIdx.x, y = threadIdx.y, t = y * 32 + x;
    if (t < N * N) {
        product[t / N][t % N] = weight[t / N] * weight[t % N];
    }
    tile.load(image, width, height, blockIdx.x * 32, blockIdx.y * 8);
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int dy = 0; dy < N; ++dy) {
#pragma unroll
        for (int dx = 0; dx < N; ++dx) {
            sum += product[dy][dx] * tile.pixel[y + dy][x + dx];
        }
    }
    const int gx = blockIdx.x * 32 + x, gy = blockIdx.y * 8 + y;
    if (gx < width && gy < height) {
        out[(long long)gy * width + gx] = sum;
    }
}
