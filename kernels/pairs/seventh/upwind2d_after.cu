// upwind2d_after: a step of a substance carried by a field of velocities, upwind differences, neighbours read from a tile in shared memory.
struct Grid {
    int width, height;
    __device__ __forceinline__ long long at(int x, int y) const { return (long long)(y < 0 ? y + height : y >= height ? y - height : y) * width + (x < 0 ? x + width : x >= width ? x - width : x); }
};

__device__ __forceinline__ float upwind(float v, float before, float here, float after) { return v > 0.0f ? v * (here - before) : v * (after - here); }

extern "C" __global__ void __launch_bounds__(256) upwind2d_after(float* __restrict__ out, const float* __restrict__ amount, const float2* __restrict__ velocity, int width, int height, float step)
{
    __shared__ float tile[10][34];
    const Grid grid = {width, height};
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    const long long i = grid.at(x, y);
    tile[ty + 1][tx + 1] = amount[i];
    if (ty == 0) {
        tile[0][tx + 1] = amount[grid.at(x, y - 1)];
    }
    if (ty == 7) {
        tile[9][tx + 1] = amount[grid.at(x, y + 1)];
    }
    if (tx == 0) {
        tile[ty + 1][0] = amount[grid.at(x - 1, y)];
    }
    if (tx == 31) {
        tile[ty + 1][33] = amount[grid.at(x + 1, y)];
    }
    __syncthreads();
    const float2 v = velocity[i];
    const float here = tile[ty + 1][tx + 1];
    const float dx = upwind(v.x, tile[ty + 1][tx], here, tile[ty + 1][tx + 2]);
    const float dy = upwind(v.y, tile[ty][tx + 1], here, tile[ty + 2][tx + 1]);
    out[i] = here - step * (dx + dy);
}
