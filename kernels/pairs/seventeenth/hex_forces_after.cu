// hex_forces_after: forces at the nodes of a mesh of hexahedra by the stresses of its elements (one point of integration).
#define TX 32
#define TY 4
#define TZ 2

// Force of an element on its corner: its stress times the gradient of the shape.
__device__ __forceinline__ float3 corner(int k, const float* s, float edge)
{
    const float x = k & 1 ? edge : -edge, y = k & 2 ? edge : -edge, z = k & 4 ? edge : -edge;
    return make_float3(x * s[0] + y * s[3] + z * s[5], x * s[3] + y * s[1] + z * s[4], x * s[5] + y * s[4] + z * s[2]);
}

// An element a thread; the nodes of a block are summed in shared memory, one corner of all elements at a time.
extern "C" __global__ void __launch_bounds__(256) hex_forces_after(float* __restrict__ force, const float* __restrict__ stress, float edge, int nx, int ny, int nz)
{
    __shared__ float sum[(TZ + 1) * (TY + 1) * (TX + 1) * 3];
    const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y, z = blockIdx.z * TZ + threadIdx.z;
    const int e = (z * ny + y) * nx + x, elements = nx * ny * nz;
    const int me = (threadIdx.z * TY + threadIdx.y) * TX + threadIdx.x;
    float s[6];
#pragma unroll
    for (int c = 0; c < 6; ++c) {
        s[c] = stress[c * elements + e];
    }
    for (int i = me; i < (TZ + 1) * (TY + 1) * (TX + 1) * 3; i += TX * TY * TZ) {
        sum[i] = 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const float3 f = corner(k, s, edge);
        float* to = sum + 3 * (((threadIdx.z + (k >> 2)) * (TY + 1) + threadIdx.y + (k >> 1 & 1)) * (TX + 1) + threadIdx.x + (k & 1));
        to[0] += f.x;
        to[1] += f.y;
        to[2] += f.z;
        __syncthreads();
    }
    const int corner0 = (blockIdx.z * TZ * (ny + 1) + blockIdx.y * TY) * (nx + 1) + blockIdx.x * TX;
    for (int i = me; i < (TZ + 1) * (TY + 1) * (TX + 1) * 3; i += TX * TY * TZ) {
        const int c = i % (3 * (TX + 1)), line = i / (3 * (TX + 1));
        atomicAdd(force + 3 * (corner0 + (line / (TY + 1) * (ny + 1) + line % (TY + 1)) * (nx + 1)) + c, sum[i]);
    }
}
