// relax_edges_before: a step of shortest paths over a list of edges, a least distance kept for each end.
extern "C" __global__ void __launch_bounds__(256) relax_edges_before(unsigned* reached, const unsigned* __restrict__ distance, const unsigned* __restrict__ from, const unsigned* __restrict__ to, const unsigned* __restrict__ weight, int edges)
{
    for (int e = blockIdx.x * 256 + threadIdx.x; e < edges; e += gridDim.x * 256) {
        const unsigned end = to[e], candidate = distance[from[e]] + weight[e];
        atomicMin(reached + end, candidate);
    }
}
