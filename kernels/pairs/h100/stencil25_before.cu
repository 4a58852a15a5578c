// stencil25_before: star stencil of radius 4 in three dimensions (acoustic wave), a thread to a point, neighbours from global memory.
// in is (nz + 8) x (ny + 8) x (nx + 8), out nz x ny x nx.
__global__ void __launch_bounds__(256) stencil25_before(float* out, const float* __restrict__ in, int nx, int ny)
{
    const float c[5] = {-2.847222f, 1.6f, -0.2f, 0.02539683f, -0.001785714f};
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    const int pitch = nx + 8, plane = pitch * (ny + 8);
    const float* p = in + (long long)(z + 4) * plane + (y + 4) * pitch + x + 4;
    float sum = 3.0f * c[0] * p[0];
#pragma unroll
    for (int r = 1; r <= 4; ++r) {
        sum += c[r] * (p[-r] + p[r] + p[-r * pitch] + p[r * pitch] + p[-r * plane] + p[r * plane]);
    }
    out[((long long)z * ny + y) * nx + x] = sum;
}
