// bfs_expand_before: a step of breadth-first search, top down, a thread to a vertex of the frontier. level: 0 = not reached yet.
__device__ unsigned queue[262144];

extern "C" __global__ void __launch_bounds__(256) bfs_expand_before(unsigned* level, unsigned* reached, const unsigned* __restrict__ offset, const unsigned* __restrict__ edge, const unsigned* __restrict__ frontier, unsigned count, unsigned depth)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const unsigned from = frontier[i], first = offset[from], last = offset[from + 1];
    for (unsigned e = first; e < last; ++e) {
        const unsigned to = edge[e];
        if (level[to] == 0 && atomicCAS(level + to, 0u, depth) == 0) {
            queue[atomicAdd(reached, 1u)] = to;
        }
    }
}
