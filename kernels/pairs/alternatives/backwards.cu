// backwards: "Split the work further (rows across warps, split-K): 528 blocks fit at once". A row is read a second time with its norm,
// so that the parts of a row have to meet in between: blocks of a cluster, through distributed shared memory.
#include "alt.cuh"
#include "original/backwards.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int PARTS, int THREADS> __device__ __forceinline__ void normalise_part(const float4* __restrict__ x, float4* __restrict__ out) {
    __shared__ float part[THREADS / 32], whole;
    const int quads = 32768 / PARTS;
    const size_t base = (size_t)blockIdx.x * quads;
    float s = 0;
#pragma unroll 4
    for (int c = threadIdx.x; c < quads; c += THREADS) { float4 v = x[base + c]; s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) { s = 0; for (int k = 0; k < THREADS / 32; k++) s += part[k]; whole = s; }
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    s = 0;
    for (int k = 0; k < PARTS; k++) s += *cluster.map_shared_rank(&whole, k);
    float f = rsqrtf(s);
#pragma unroll 4
    for (int c = threadIdx.x; c < quads; c += THREADS) { float4 v = x[base + c]; out[base + c] = make_float4(v.x * f, v.y * f, v.z * f, v.w * f); }
    cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(512) normalise_split_2(const float4* __restrict__ x, float4* __restrict__ out) { normalise_part<2, 512>(x, out); }
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(512) normalise_split_4(const float4* __restrict__ x, float4* __restrict__ out) { normalise_part<4, 512>(x, out); }

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 64 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(n);
    p.run("backwards", out, n, 1e-3f, 1e-3f, [&](uint32_t s) { p.uniform(x, n, s); }, {
        {"normalise_forwards", "before", [&] { normalise_forwards<<<512, 512>>>((float4*)x, (float4*)out); }},
        {"normalise_backwards", "made:fewer-bytes", [&] { normalise_backwards<<<512, 512>>>((float4*)x, (float4*)out); }},
        {"normalise_split_2", "more-blocks", [&] { normalise_split_2<<<1024, 512>>>((float4*)x, (float4*)out); }},
        {"normalise_split_4", "more-blocks", [&] { normalise_split_4<<<2048, 512>>>((float4*)x, (float4*)out); }},
    });
}
