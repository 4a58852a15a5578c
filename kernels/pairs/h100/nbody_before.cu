// nbody_before: gravity of all bodies on all bodies, a thread to a body, tiles of 256 bodies in shared memory.
__global__ void __launch_bounds__(256) nbody_before(float4* acceleration, const float4* body, int count)
{
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 me = body[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int base = 0; base < count; base += 256) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; ++j) {
            const float4 other = tile[j];
            const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-2f);
            const float s = other.w * r * r * r;
            ax += s * dx;
            ay += s * dy;
            az += s * dz;
        }
        __syncthreads();
    }
    acceleration[i] = make_float4(ax, ay, az, 0.0f);
}
