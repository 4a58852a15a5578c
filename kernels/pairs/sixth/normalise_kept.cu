// normalise_kept: rows of 512 KB divided by their norm, a cluster of eight blocks to a row, values kept in registers.
#include <cooperative_groups.h>

extern "C" __global__ void __launch_bounds__(512) __cluster_dims__(8, 1, 1) normalise_kept(const float4* __restrict__ x, float4* __restrict__ out)
{
    __shared__ float part[16], whole;
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const size_t first = (size_t)blockIdx.x * 4096 + threadIdx.x;
    float4 v[8];
    float s = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        v[k] = x[first + k * 512];
        s += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
    }
#pragma unroll
    for (int d = 16; d; d /= 2) {
        s += __shfl_xor_sync(~0u, s, d);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = s;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        s = 0.0f;
        for (int k = 0; k < 16; ++k) {
            s += part[k];
        }
        whole = s;
    }
    cluster.sync();
    s = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        s += *cluster.map_shared_rank(&whole, k);
    }
    cluster.sync();
    const float f = rsqrtf(s);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        out[first + k * 512] = make_float4(v[k].x * f, v[k].y * f, v[k].z * f, v[k].w * f);
    }
}
