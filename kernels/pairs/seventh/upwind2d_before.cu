// upwind2d_before: a step of a substance carried by a field of velocities, upwind differences, neighbours read from global memory.
struct Grid {
    int width, height;
    __device__ __forceinline__ long long at(int x, int y) const { return (long long)(y < 0 ? y + height : y >= height ? y - height : y) * width + (x < 0 ? x + width : x >= width ? x - width : x); }
};

__device__ __forceinline__ float upwind(float v, float before, float here, float after) { return v > 0.0f ? v * (here - before) : v * (after - here); }

extern "C" __global__ void __launch_bounds__(256) upwind2d_before(float* __restrict__ out, const float* __restrict__ amount, const float2* __restrict__ velocity, int width, int height, float step)
{
    const Grid grid = {width, height};
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const long long i = grid.at(x, y);
    const float2 v = velocity[i];
    const float here = amount[i];
    const float dx = upwind(v.x, amount[grid.at(x - 1, y)], here, amount[grid.at(x + 1, y)]);
    const float dy = upwind(v.y, amount[grid.at(x, y - 1)], here, amount[grid.at(x, y + 1)]);
    out[i] = here - step * (dx + dy);
}
