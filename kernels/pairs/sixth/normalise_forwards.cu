// normalise_forwards: rows of 512 KB divided by their norm, a block to a row, read twice.
extern "C" __global__ void __launch_bounds__(512) normalise_forwards(const float4* __restrict__ x, float4* __restrict__ out)
{
    __shared__ float part[17];
    const int quads = 32768;
    const float4* row = x + (size_t)blockIdx.x * quads;
    float s = 0;
#pragma unroll 4
    for (int c = threadIdx.x; c < quads; c += 512) { float4 v = row[c]; s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) { s = 0; for (int k = 0; k < 16; k++) s += part[k]; part[16] = rsqrtf(s); }
    __syncthreads();
    float f = part[16];
#pragma unroll 4
    for (int k = 0; k < quads / 512; k++) {
        int c = k * 512 + threadIdx.x;
        float4 v = row[c];
        out[(size_t)blockIdx.x * quads + c] = make_float4(v.x * f, v.y * f, v.z * f, v.w * f);
    }
}
