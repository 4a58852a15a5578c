// hex_forces_before: forces at the nodes of a mesh of hexahedra by the stresses of its elements (one point of integration).
#define TX 32
#define TY 4
#define TZ 2

// Force of an element on its corner: its stress times the gradient of the shape.
__device__ __forceinline__ float3 corner(int k, const float* s, float edge)
{
    const float x = k & 1 ? edge : -edge, y = k & 2 ? edge : -edge, z = k & 4 ? edge : -edge;
    return make_float3(x * s[0] + y * s[3] + z * s[5], x * s[3] + y * s[1] + z * s[4], x * s[5] + y * s[4] + z * s[2]);
}

// An element a thread.
extern "C" __global__ void __launch_bounds__(256) hex_forces_before(float* __restrict__ force, const float* __restrict__ stress, float edge, int nx, int ny, int nz)
{
    const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y, z = blockIdx.z * TZ + threadIdx.z;
    const int e = (z * ny + y) * nx + x, elements = nx * ny * nz;
    float s[6];
#pragma unroll
    for (int c = 0; c < 6; ++c) {
        s[c] = stress[c * elements + e];
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const float3 f = corner(k, s, edge);
        float* to = force + 3 * (((z + (k >> 2)) * (ny + 1) + y + (k >> 1 & 1)) * (nx + 1) + x + (k & 1));
        atomicAdd(to, f.x);
        atomicAdd(to + 1, f.y);
        atomicAdd(to + 2, f.z);
    }
}
