// sdf_trace_before: picture of balls over a floor by sphere tracing of their distance field.
__device__ __forceinline__ float scene(const float4* __restrict__ ball, int balls, float x, float y, float z)
{
    float d = y + 1.2f;
    for (int i = 0; i < balls; ++i) {
        const float4 b = ball[i];
        const float dx = x - b.x, dy = y - b.y, dz = z - b.z;
        d = fminf(d, sqrtf(dx * dx + dy * dy + dz * dz) - (0.15f + 0.1f * b.w));
    }
    return d;
}

extern "C" __global__ void __launch_bounds__(1024) sdf_trace_before(float* __restrict__ out, const float4* __restrict__ ball, int balls, int width, int height)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) {
        return;
    }
    float dx = (px + 0.5f - 0.5f * width) / height, dy = (0.5f * height - py - 0.5f) / height, dz = 0.9f;
    const float n = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= n;
    dy *= n;
    dz *= n;
    float t = 0.0f;
    float shade = 0.0f;
    for (int step = 0; step < 96; ++step) {
        const float d = scene(ball, balls, t * dx, t * dy, t * dz - 3.0f);
        if (d < 1e-3f * t) {
            shade = 1.0f / (1.0f + t + 0.05f * step);
            break;
        }
        t += d;
        if (t > 20.0f) {
            break;
        }
    }
    out[py * width + px] = shade;
}
