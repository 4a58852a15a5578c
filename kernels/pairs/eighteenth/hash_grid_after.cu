// hash_grid_after: features of points from sixteen grids whose knots lie in hash tables (instant neural graphics).
#define LEVELS 16
#define ENTRIES (1u << 19)

__device__ __forceinline__ float2 level_of(const float2* __restrict__ table, int level, float x, float y, float z)
{
    const float scale = 16.0f * exp2f(level * 0.57f) - 1.0f;
    const unsigned int size = (unsigned int)ceilf(scale) + 1;
    const bool dense = size <= 80;
    x = x * scale + 0.5f, y = y * scale + 0.5f, z = z * scale + 0.5f;
    const float fx = floorf(x), fy = floorf(y), fz = floorf(z);
    const unsigned int ix = (unsigned int)fx, iy = (unsigned int)fy, iz = (unsigned int)fz;
    x -= fx, y -= fy, z -= fz;
    float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const unsigned int cx = ix + (k & 1), cy = iy + (k >> 1 & 1), cz = iz + (k >> 2);
        const unsigned int at = dense ? (cz * size + cy) * size + cx : cx ^ cy * 2654435761u ^ cz * 805459861u;
        const float w = (k & 1 ? x : 1.0f - x) * (k & 2 ? y : 1.0f - y) * (k & 4 ? z : 1.0f - z);
        const float2 f = table[(unsigned int)level * ENTRIES + (at & (ENTRIES - 1))];
        sum.x += w * f.x;
        sum.y += w * f.y;
    }
    return sum;
}

// A thread to a point of a level; blocks of a level are neighbours in the grid.
extern "C" __global__ void __launch_bounds__(256) hash_grid_after(float2* __restrict__ out, const float2* __restrict__ table, const float* __restrict__ place, int points)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= points) {
        return;
    }
    const float x = place[i], y = place[points + i], z = place[2 * points + i];
    const int level = blockIdx.y;
    out[(long long)level * points + i] = level_of(table, level, x, y, z);
}
