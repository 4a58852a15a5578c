// hash_grid_morton: features of points from hashed grids; the kernel of before, its points in Morton order (cells of 2,048 x 2,048 x 1,024 from sorted codes).
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

// Every third bit, joined.
__device__ __forceinline__ unsigned int third_bits(unsigned int x)
{
    x &= 0x49249249u;
    x = (x ^ x >> 2) & 0xc30c30c3u;
    x = (x ^ x >> 4) & 0x0f00f00fu;
    x = (x ^ x >> 8) & 0xff0000ffu;
    return (x ^ x >> 16) & 0x7ffu;
}

// The place of a point: a cell by its Morton code, within it as given.
__device__ __forceinline__ float3 place_of(const float* __restrict__ place, const unsigned int* __restrict__ code, int i, int points)
{
    const unsigned int at = code[i];
    return make_float3((third_bits(at) + place[i]) / 2048.0f, (third_bits(at >> 1) + place[points + i]) / 2048.0f, (third_bits(at >> 2) + place[2 * points + i]) / 1024.0f);
}

// A thread to a point.
extern "C" __global__ void __launch_bounds__(256) hash_grid_morton(float2* __restrict__ out, const float2* __restrict__ table, const float* __restrict__ place, const unsigned int* __restrict__ code, int points)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= points) {
        return;
    }
    const float3 p = place_of(place, code, i, points);
    for (int level = 0; level < LEVELS; ++level) {
        out[(long long)level * points + i] = level_of(table, level, p.x, p.y, p.z);
    }
}
