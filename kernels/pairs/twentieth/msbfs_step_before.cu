// msbfs_step_before: a step of 2,048 breadth-first searches at once: a node is reached from where a neighbour was reached.
// A node a warp, 64 of the 2,048 bits a lane.
extern "C" __global__ void __launch_bounds__(256) msbfs_step_before(uint2* __restrict__ out, const uint2* __restrict__ reached, const unsigned int* __restrict__ start, const unsigned int* __restrict__ neighbour, int nodes)
{
    const int node = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (node >= nodes) {
        return;
    }
    uint2 bits = reached[node * 32 + lane];
    const unsigned int end = start[node + 1];
    for (unsigned int e = start[node]; e < end; ++e) {
        const uint2 theirs = reached[neighbour[e] * 32 + lane];
        bits.x |= theirs.x;
        bits.y |= theirs.y;
    }
    out[node * 32 + lane] = bits;
}
