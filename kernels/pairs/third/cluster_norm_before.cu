// cluster_norm_before: RMSNorm of rows of 65,536, a block of 1,024 threads to a row, which is read twice.
extern "C" __global__ void __launch_bounds__(1024) cluster_norm_before(float4* out, const float4* __restrict__ in, const float4* __restrict__ gain)
{
    __shared__ float part[32];
    const int t = threadIdx.x;
    const float4* row = in + blockIdx.x * 16384ll;
    float sum = 0.0f;
#pragma unroll 4
    for (int i = 0; i < 16; ++i) {
        const float4 v = row[i * 1024 + t];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
    }
    if (t % 32 == 0) {
        part[t / 32] = sum;
    }
    __syncthreads();
    sum = part[t % 32];
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
    }
    const float scale = rsqrtf(sum / 65536.0f + 1e-5f);
#pragma unroll 4
    for (int i = 0; i < 16; ++i) {
        const float4 v = row[i * 1024 + t], g = gain[i * 1024 + t];
        out[blockIdx.x * 16384ll + i * 1024 + t] = make_float4(v.x * scale * g.x, v.y * scale * g.y, v.z * scale * g.z, v.w * scale * g.w);
    }
}
