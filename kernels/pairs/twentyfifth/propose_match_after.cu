// propose_match_after: each node of the left side of a bipartite graph proposes to the free neighbour on the right with the heaviest edge.
#define DEGREE 16
#define NONE 0xffffffffu

// A node a thread, edges stored slot after slot; whether a neighbour is free is asked only where its edge would win.
extern "C" __global__ void __launch_bounds__(256) propose_match_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ neighbour, const unsigned int* __restrict__ weight, const unsigned char* __restrict__ matched, int nodes)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= nodes) {
        return;
    }
    unsigned int best = 0, partner = NONE;
    for (int k = 0; k < DEGREE; ++k) {
        const unsigned int n = neighbour[k * nodes + i];
        const unsigned int w = weight[k * nodes + i];
        if (w > best && !matched[n]) {
            best = w;
            partner = n;
        }
    }
    out[i] = partner;
}
