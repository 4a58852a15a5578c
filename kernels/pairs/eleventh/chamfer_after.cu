// chamfer_after: squared distance of each point of a cloud to the nearest of another cloud.
extern "C" __global__ void __launch_bounds__(256) chamfer_after(float* __restrict__ out, const float* __restrict__ from, const float* __restrict__ to, int points)
{
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float* source = from + (long long)blockIdx.y * points * 3;
    const float* target = to + (long long)blockIdx.y * points * 3;
    const float x = source[3 * i], y = source[3 * i + 1], z = source[3 * i + 2];
    float best = 1e30f;
    for (int base = 0; base < points; base += 256) {
        const float* p = target + 3 * (base + threadIdx.x);
        __syncthreads();
        tile[threadIdx.x] = make_float4(p[0], p[1], p[2], 0.0f);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; ++j) {
            const float4 t = tile[j];
            const float dx = t.x - x, dy = t.y - y, dz = t.z - z;
            best = fminf(best, dx * dx + dy * dy + dz * dz);
        }
    }
    out[blockIdx.y * points + i] = best;
}
