// pic_deposit_before: charge of the particles of a plasma laid on the four nearest points of a grid.
#define EDGE 16
#define PARTICLES 1024

__device__ __forceinline__ unsigned int fixed(float v)
{
    return __float2uint_rn(v * 4096.0f);
}

// A block to a tile of 16 x 16 cells, whose particles lie side by side; charge in fixed point, so that the order does not matter.
extern "C" __global__ void __launch_bounds__(256) pic_deposit_before(unsigned int* __restrict__ grid, const float* __restrict__ x, const float* __restrict__ y, int width)
{
    const int tiles = width / EDGE;
    const int x0 = blockIdx.x % tiles * EDGE, y0 = blockIdx.x / tiles * EDGE;
    for (int i = threadIdx.x; i < PARTICLES; i += 256) {
        const float px = x[blockIdx.x * PARTICLES + i], py = y[blockIdx.x * PARTICLES + i];
        const int cx = min((int)px, EDGE - 1), cy = min((int)py, EDGE - 1);
        const float fx = px - cx, fy = py - cy;
        const int left = x0 + cx, right = (left + 1) % width;
        const int low = (y0 + cy) * width, high = (y0 + cy + 1) % width * width;
        atomicAdd(&grid[low + left], fixed((1.0f - fx) * (1.0f - fy)));
        atomicAdd(&grid[low + right], fixed(fx * (1.0f - fy)));
        atomicAdd(&grid[high + left], fixed((1.0f - fx) * fy));
        atomicAdd(&grid[high + right], fixed(fx * fy));
    }
}
