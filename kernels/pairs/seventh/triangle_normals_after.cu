// triangle_normals_after: normals and areas of triangles of nine floats, a block's triangles brought through shared memory.
struct Vector {
    float x, y, z;
};
struct Triangle {
    Vector a, b, c;
};

__device__ __forceinline__ Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

__device__ __forceinline__ Vector cross(const Vector& a, const Vector& b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

__device__ __forceinline__ float4 normal(const Triangle& t)
{
    const Vector n = cross(t.b - t.a, t.c - t.a);
    const float square = n.x * n.x + n.y * n.y + n.z * n.z, inverse = rsqrtf(fmaxf(square, 1e-20f));
    return make_float4(n.x * inverse, n.y * inverse, n.z * inverse, 0.5f * square * inverse);
}

extern "C" __global__ void __launch_bounds__(256) triangle_normals_after(float4* __restrict__ out, const Triangle* __restrict__ mesh, int triangles)
{
    __shared__ __align__(16) Triangle part[256];
    const int first = blockIdx.x * 256, count = min(256, triangles - first), words = count * 9;
    const float* from = reinterpret_cast<const float*>(mesh + first);
    float* to = reinterpret_cast<float*>(part);
    for (int w = threadIdx.x * 4; w + 3 < words; w += 1024) {
        *reinterpret_cast<float4*>(to + w) = *reinterpret_cast<const float4*>(from + w);
    }
    if (threadIdx.x < words % 4) {
        to[words / 4 * 4 + threadIdx.x] = from[words / 4 * 4 + threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x < count) {
        out[first + threadIdx.x] = normal(part[threadIdx.x]);
    }
}
