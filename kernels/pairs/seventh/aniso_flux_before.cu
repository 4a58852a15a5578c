// aniso_flux_before: a step of diffusion with conductivities of cells in three dimensions, blocks of 4 x 8 x 8 cells.
struct Extent {
    int x, y, z;
};

template <class T> struct Field {
    T* data;
    Extent size;
    __device__ __forceinline__ T& at(int x, int y, int z) const { return data[((long long)z * size.y + y) * size.x + x]; }
    __device__ __forceinline__ T clamped(int x, int y, int z) const { return at(min(max(x, 0), size.x - 1), min(max(y, 0), size.y - 1), min(max(z, 0), size.z - 1)); }
};

__device__ __forceinline__ float flux(float here, float there, float k_here, float k_there) { return 0.5f * (k_here + k_there) * (there - here); }

extern "C" __global__ void __launch_bounds__(256) aniso_flux_before(float* __restrict__ out, const float* __restrict__ heat, const float* __restrict__ conduct, int nx, int ny, int nz, float step)
{
    const Extent size = {nx, ny, nz};
    const Field<const float> u = {heat, size}, k = {conduct, size};
    const Field<float> next = {out, size};
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) {
        return;
    }
    const float here = u.at(x, y, z), kh = k.at(x, y, z);
    float sum = flux(here, u.clamped(x - 1, y, z), kh, k.clamped(x - 1, y, z));
    sum += flux(here, u.clamped(x + 1, y, z), kh, k.clamped(x + 1, y, z));
    sum += flux(here, u.clamped(x, y - 1, z), kh, k.clamped(x, y - 1, z));
    sum += flux(here, u.clamped(x, y + 1, z), kh, k.clamped(x, y + 1, z));
    sum += flux(here, u.clamped(x, y, z - 1), kh, k.clamped(x, y, z - 1));
    sum += flux(here, u.clamped(x, y, z + 1), kh, k.clamped(x, y, z + 1));
    next.at(x, y, z) = here + step * sum;
}
