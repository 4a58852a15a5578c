// nbody_after: the same forces, eight warps of a block share 32 bodies and take an eighth of the others each.
__global__ void __launch_bounds__(256) nbody_after(float4* acceleration, const float4* body, int count)
{
    __shared__ float4 tile[256];
    __shared__ float3 part[256];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, i = blockIdx.x * 32 + lane;
    const float4 me = body[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int base = 0; base < count; base += 256) {
        __syncwarp();
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncwarp();
#pragma unroll 8
        for (int j = 0; j < 32; ++j) {
            const float4 other = tile[warp * 32 + j];
            const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-2f);
            const float s = other.w * r * r * r;
            ax += s * dx;
            ay += s * dy;
            az += s * dz;
        }
    }
    part[threadIdx.x] = make_float3(ax, ay, az);
    __syncthreads();
    if (warp == 0) {
        for (int w = 1; w < 8; ++w) {
            const float3 p = part[w * 32 + lane];
            ax += p.x;
            ay += p.y;
            az += p.z;
        }
        acceleration[i] = make_float4(ax, ay, az, 0.0f);
    }
}
