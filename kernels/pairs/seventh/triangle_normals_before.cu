// triangle_normals_before: normals and areas of triangles of nine floats, a thread to a triangle, read where they lie.
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

extern "C" __global__ void __launch_bounds__(256) triangle_normals_before(float4* __restrict__ out, const Triangle* __restrict__ mesh, int triangles)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < triangles) {
        out[i] = normal(mesh[i]);
    }
}
