// cluster_norm_after: RMSNorm of rows of 65,536, a cluster of eight blocks to a row, which stays in registers; sums meet in distributed shared memory.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(8, 1, 1) __launch_bounds__(512) cluster_norm_after(float4* out, const float4* __restrict__ in, const float4* __restrict__ gain)
{
    __shared__ float part[16], whole[8];
    const int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    const long long first = blockIdx.x * 2048ll;
    float4 v[4];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = in[first + i * 512 + t];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        sum += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
    }
    if (t % 32 == 0) {
        part[t / 32] = sum;
    }
    __syncthreads();
    if (t < 8) {
        float all = 0.0f;
        for (int i = 0; i < 16; ++i) {
            all += part[i];
        }
        cluster.map_shared_rank(whole, t)[rank] = all;
    }
    cluster.sync();
    sum = 0.0f;
    for (int i = 0; i < 8; ++i) {
        sum += whole[i];
    }
    const float scale = rsqrtf(sum / 65536.0f + 1e-5f);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float4 g = gain[rank * 2048 + i * 512 + t];
        out[first + i * 512 + t] = make_float4(v[i].x * scale * g.x, v[i].y * scale * g.y, v[i].z * scale * g.z, v[i].w * scale * g.w);
    }
}
