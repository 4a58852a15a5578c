// rbf_after: sum of Gaussians of weighted points (x, y, z, weight) at each query, two queries to a thread, the next tile of points under way by cp.async.
extern "C" __global__ void __launch_bounds__(256) rbf_after(float* out, const float4* __restrict__ query, const float4* __restrict__ point, int points)
{
    __shared__ float4 tile[2][256];
    const int t = threadIdx.x, first = blockIdx.x * 512 + t;
    const float4 a = query[first], b = query[first + 256];
    float u = 0.0f, v = 0.0f;
    auto fetch = [&](int base) {
        if (base < points) {
            asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(&tile[base / 256 & 1][t])), "l"(point + base + t) : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    for (int base = 0; base < points; base += 256) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        fetch(base + 256);
        const float4* now = tile[base / 256 & 1];
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
