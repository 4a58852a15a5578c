// layernorm_bwd_after: backward of LayerNorm over rows of 1,024: dx, and the gradients of gamma and beta in registers over the rows of a block, atomics at its end.
// x, dy, dx: [rows, 1024]; stats: mean and 1/deviation of each row.
__device__ __forceinline__ float2 block_sum(float2 v)
{
    __shared__ float2 part[8];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 16; d > 0; d /= 2) {
        v.x += __shfl_xor_sync(~0u, v.x, d);
        v.y += __shfl_xor_sync(~0u, v.y, d);
    }
    __syncthreads();
    if (lane == 0) {
        part[warp] = v;
    }
    __syncthreads();
    float2 all = make_float2(0.0f, 0.0f);
    for (int i = 0; i < 8; ++i) {
        all.x += part[i].x;
        all.y += part[i].y;
    }
    return all;
}

extern "C" __global__ void __launch_bounds__(256) layernorm_bwd_after(float4* dx, float* dgamma, float* dbeta, const float4* __restrict__ x, const float4* __restrict__ dy, const float4* __restrict__ gamma, const float2* __restrict__ stats, int rows)
{
    const int t = threadIdx.x;
    const float4 g = gamma[t];
    float v[8] = {};
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        const float2 s = stats[row];
        const float4 a = x[row * 256 + t], d = dy[row * 256 + t];
        const float4 h = make_float4((a.x - s.x) * s.y, (a.y - s.x) * s.y, (a.z - s.x) * s.y, (a.w - s.x) * s.y);
        const float4 e = make_float4(d.x * g.x, d.y * g.y, d.z * g.z, d.w * g.w);
        const float2 m = block_sum(make_float2(e.x + e.y + e.z + e.w, e.x * h.x + e.y * h.y + e.z * h.z + e.w * h.w));
        const float p = m.x / 1024.0f, q = m.y / 1024.0f;
        dx[row * 256 + t] = make_float4(s.y * (e.x - p - h.x * q), s.y * (e.y - p - h.y * q), s.y * (e.z - p - h.z * q), s.y * (e.w - p - h.w * q));
        v[0] += d.x * h.x, v[1] += d.y * h.y, v[2] += d.z * h.z, v[3] += d.w * h.w;
        v[4] += d.x, v[5] += d.y, v[6] += d.z, v[7] += d.w;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        atomicAdd(dgamma + t * 4 + i, v[i]);
        atomicAdd(dbeta + t * 4 + i, v[i + 4]);
    }
}
