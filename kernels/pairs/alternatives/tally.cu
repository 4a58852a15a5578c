// tally: "Reuse data inside the SM: shared memory, registers, clusters". 65,536 counters of 32 bits are 256 KB, more than an SM has:
// counters of 16 bits fit, as long as a block counts fewer than 65,536 keys (63,551 with 132 blocks); or a cluster divides counters of
// 32 bits among its blocks. Either way the counts of a block meet in memory by atomics, two counters at a time and side by side.
#include "alt.cuh"
#include "original/tally.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern __shared__ __align__(16) uint32_t counters[];
__device__ __forceinline__ void add_pair(uint32_t* out, int pair, uint32_t low, uint32_t high) {
    // Totals stay below 2^32, so that no carry goes from one counter to the next.
    if (low | high) atomicAdd((unsigned long long*)out + pair, (unsigned long long)high << 32 | low);
}
__global__ void __launch_bounds__(1024) tally_half(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, int n) {
    for (int i = threadIdx.x; i < 32768; i += 1024) counters[i] = 0;
    __syncthreads();
    int step = gridDim.x * 1024, i = blockIdx.x * 1024 + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        uint32_t key[4];
#pragma unroll
        for (int k = 0; k < 4; k++) key[k] = keys[i + k * step];
#pragma unroll
        for (int k = 0; k < 4; k++) atomicAdd(&counters[key[k] >> 1], key[k] & 1 ? 65536u : 1u);
    }
    for (; i < n; i += step) atomicAdd(&counters[keys[i] >> 1], keys[i] & 1 ? 65536u : 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 32768; i += 1024) add_pair(out, i, counters[i] & 65535, counters[i] >> 16);
}
// Blocks of a cluster hold 65,536 / BLOCKS counters each.
template <int BLOCKS> __global__ void __launch_bounds__(1024) tally_cluster(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, int n) {
    constexpr int OWN = 65536 / BLOCKS;
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < OWN; i += 1024) counters[i] = 0;
    cluster.sync();
    int step = gridDim.x * 1024, i = blockIdx.x * 1024 + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        uint32_t key[4];
#pragma unroll
        for (int k = 0; k < 4; k++) key[k] = keys[i + k * step];
#pragma unroll
        for (int k = 0; k < 4; k++) atomicAdd(cluster.map_shared_rank(counters, key[k] / OWN) + key[k] % OWN, 1u);
    }
    for (; i < n; i += step) atomicAdd(cluster.map_shared_rank(counters, keys[i] / OWN) + keys[i] % OWN, 1u);
    cluster.sync();
    int from = cluster.block_rank() * (OWN / 2);
    for (int i = threadIdx.x; i < OWN / 2; i += 1024) add_pair(out, from + i, counters[2 * i], counters[2 * i + 1]);
}
template <int BLOCKS> void launch_cluster(int blocks, const uint32_t* keys, uint32_t* out, int n) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {BLOCKS, 1, 1};
    config.gridDim = dim3(blocks); config.blockDim = dim3(1024); config.dynamicSmemBytes = 65536 / BLOCKS * 4;
    config.attrs = &attribute; config.numAttrs = 1;
    cudaLaunchKernelEx(&config, tally_cluster<BLOCKS>, keys, out, n);
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 8 << 20;
    uint32_t *keys = p.make<uint32_t>(n), *out = p.make<uint32_t>(65536);
    CK(cudaFuncSetAttribute(tally_half, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072));
    CK(cudaFuncSetAttribute(tally_cluster<2>, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072));
    CK(cudaFuncSetAttribute(tally_cluster<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    CK(cudaFuncSetAttribute(tally_cluster<8>, cudaFuncAttributeMaxDynamicSharedMemorySize, 32768));
    // Counts are integers, whose bits are denormal floats: any difference shows.
    p.run("tally", (float*)out, 65536, 1e-44f, 0, [&](uint32_t s) { p.integers(keys, n, s, 65536); }, {
        {"tally_lanes", "before", [&] { tally_lanes<<<n / 256, 256>>>(keys, out); }},
        {"tally_match", "made:fewer-atomics", [&] { tally_match<<<n / 256, 256>>>(keys, out); }},
        {"tally_half", "reuse-in-sm", [&] { tally_half<<<132, 1024, 131072>>>(keys, out, n); }},
        {"tally_cluster_2", "reuse-in-sm", [&] { launch_cluster<2>(132, keys, out, n); }},
        {"tally_cluster_4", "reuse-in-sm", [&] { launch_cluster<4>(256, keys, out, n); }},
        {"tally_cluster_8", "reuse-in-sm", [&] { launch_cluster<8>(256, keys, out, n); }},
    }, [&] { CK(cudaMemset(out, 0, 65536 * 4)); });
}
