// node_degrees_before: degrees of the nodes of a list of edges, an atomic addition for each end.
extern "C" __global__ void __launch_bounds__(256) node_degrees_before(unsigned* __restrict__ degree, const uint2* __restrict__ edge, int edges)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < edges; i += gridDim.x * 256) {
        const uint2 e = edge[i];
        atomicAdd(degree + e.x, 1u);
        atomicAdd(degree + e.y, 1u);
    }
}
