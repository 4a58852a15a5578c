// node_degrees_after: degrees of the nodes of a list of edges, ends of a warp at one node counted first, an atomic addition for each node.
__device__ __forceinline__ void count(unsigned* __restrict__ degree, unsigned node)
{
    const unsigned active = __activemask(), same = __match_any_sync(active, node);
    if (__ffs(same) - 1 == threadIdx.x % 32) {
        atomicAdd(degree + node, (unsigned)__popc(same));
    }
}

extern "C" __global__ void __launch_bounds__(256) node_degrees_after(unsigned* __restrict__ degree, const uint2* __restrict__ edge, int edges)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < edges; i += gridDim.x * 256) {
        const uint2 e = edge[i];
        count(degree, e.x);
        count(degree, e.y);
    }
}
