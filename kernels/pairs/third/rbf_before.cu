// rbf_before: sum of Gaussians of weighted points (x, y, z, weight) at each query, two queries to a thread, a tile of points at a time, copied between two barriers.
extern "C" __global__ void __launch_bounds__(256) rbf_before(float* out, const float4* __restrict__ query, const float4* __restrict__ point, int points)
{
    __shared__ float4 tile[256];
    const int t = threadIdx.x, first = blockIdx.x * 512 + t;
    const float4 a = query[first], b = query[first + 256];
    float u = 0.0f, v = 0.0f;
    for (int base = 0; base < points; base += 256) {
        __syncthreads();
        tile[t] = point[base + t];
        __syncthreads();
        const float4* now = tile;
#pragma unroll 8
        for (int j = 0; j < 256; ++j) {
            const float4 p = now[j];
            const float ax = a.x - p.x, ay = a.y - p.y, az = a.z - p.z, bx = b.x - p.x, by = b.y - p.y, bz = b.z - p.z;
            u += p.w * __expf(-(ax * ax + ay * ay + az * az));
            v += p.w * __expf(-(bx * bx + by * by + bz * bz));
        }
    }
    out[first] = u;
    out[first + 256] = v;
}
