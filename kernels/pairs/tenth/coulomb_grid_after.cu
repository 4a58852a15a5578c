// coulomb_grid_after: potential of point charges at the points of a plane, a thread to a point, summed in single precision over 256 atoms, these sums in double precision.
__device__ __forceinline__ float over_root(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

extern "C" __global__ void __launch_bounds__(256) coulomb_grid_after(float* __restrict__ out, const float4* __restrict__ atom, int atoms, int width, float spacing, float height)
{
    __shared__ float4 tile[256];
    const int point = blockIdx.x * 256 + threadIdx.x;
    const float x = point % width * spacing, y = point / width * spacing;
    double sum = 0.0;
    for (int first = 0; first < atoms; first += 256) {
        __syncthreads();
        tile[threadIdx.x] = first + threadIdx.x < atoms ? atom[first + threadIdx.x] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
        float part = 0.0f;
#pragma unroll 8
        for (int i = 0; i < 256; ++i) {
            const float4 p = tile[i];
            const float dx = p.x - x, dy = p.y - y, dz = p.z - height;
            part += p.w * over_root(dx * dx + dy * dy + dz * dz);
        }
        sum += part;
    }
    out[point] = sum;
}
