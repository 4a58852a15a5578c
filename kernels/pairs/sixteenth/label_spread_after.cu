// label_spread_after: each node of a graph takes the label most of its neighbours have, the smallest of several.
// A warp to a node, a lane to a neighbour; nodes have at most 32.
extern "C" __global__ void __launch_bounds__(256) label_spread_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ label, const unsigned int* __restrict__ start, const unsigned int* __restrict__ neighbour, int nodes)
{
    const int node = blockIdx.x * 8 + threadIdx.x / 32;
    const unsigned int lane = threadIdx.x % 32;
    if (node >= nodes) {
        return;
    }
    const unsigned int from = start[node], degree = start[node + 1] - from;
    const unsigned int mine = lane < degree ? label[neighbour[from + lane]] : 0xffffffffu;
    const unsigned int count = __popc(__match_any_sync(0xffffffffu, mine));
    const unsigned int best = __reduce_max_sync(0xffffffffu, lane < degree ? count << 16 | (0xffffu - mine) : 0u);
    if (lane == 0) {
        out[node] = best != 0 ? 0xffffu - (best & 0xffffu) : label[node];
    }
}
