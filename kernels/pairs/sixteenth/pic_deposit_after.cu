// pic_deposit_after: charge of the particles of a plasma laid on the four nearest points of a grid.
#define EDGE 16
#define PARTICLES 1024

__device__ __forceinline__ unsigned int fixed(float v)
{
    return __float2uint_rn(v * 4096.0f);
}

// A block to a tile of 16 x 16 cells, whose particles lie side by side; charge in fixed point, so that the order does not matter.
extern "C" __global__ void __launch_bounds__(256) pic_deposit_after(unsigned int* __restrict__ grid, const float* __restrict__ x, const float* __restrict__ y, int width)
{
    const int tiles = width / EDGE;
    const int x0 = blockIdx.x % tiles * EDGE, y0 = blockIdx.x / tiles * EDGE;
    __shared__ unsigned int tile[EDGE + 1][EDGE + 1];
    for (int i = threadIdx.x; i < (EDGE + 1) * (EDGE + 1); i += 256) {
        tile[i / (EDGE + 1)][i % (EDGE + 1)] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < PARTICLES; i += 256) {
        const float px = x[blockIdx.x * PARTICLES + i], py = y[blockIdx.x * PARTICLES + i];
        const int cx = min((int)px, EDGE - 1), cy = min((int)py, EDGE - 1);
        const float fx = px - cx, fy = py - cy;
        atomicAdd(&tile[cy][cx], fixed((1.0f - fx) * (1.0f - fy)));
        atomicAdd(&tile[cy][cx + 1], fixed(fx * (1.0f - fy)));
        atomicAdd(&tile[cy + 1][cx], fixed((1.0f - fx) * fy));
        atomicAdd(&tile[cy + 1][cx + 1], fixed(fx * fy));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < (EDGE + 1) * (EDGE + 1); i += 256) {
        const int dy = i / (EDGE + 1), dx = i % (EDGE + 1);
        atomicAdd(&grid[(y0 + dy) % width * width + (x0 + dx) % width], tile[dy][dx]);
    }
}
