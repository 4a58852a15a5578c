// label_spread_before: each node of a graph takes the label most of its neighbours have, the smallest of several.
// A thread to a node.
extern "C" __global__ void __launch_bounds__(256) label_spread_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ label, const unsigned int* __restrict__ start, const unsigned int* __restrict__ neighbour, int nodes)
{
    const int node = blockIdx.x * 256 + threadIdx.x;
    if (node >= nodes) {
        return;
    }
    const unsigned int from = start[node], to = start[node + 1];
    unsigned int best = label[node];
    int most = 0;
    for (unsigned int i = from; i < to; ++i) {
        const unsigned int mine = label[neighbour[i]];
        int count = 0;
        for (unsigned int j = from; j < to; ++j) {
            if (label[neighbour[j]] == mine) {
                ++count;
            }
        }
        if (count > most || (count == most && mine < best)) {
            most = count;
            best = mine;
        }
    }
    out[node] = best;
}
