// colour_first_after: the first colour that no neighbour of a node has, a step of greedy graph colouring.
#define COLOURS 64

// A node a thread.
extern "C" __global__ void __launch_bounds__(256) colour_first_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ colour, const unsigned int* __restrict__ start, const unsigned int* __restrict__ neighbour, int nodes)
{
    const int v = blockIdx.x * 256 + threadIdx.x;
    if (v >= nodes) {
        return;
    }
    unsigned long long used = 0;
    const unsigned int end = start[v + 1];
    for (unsigned int e = start[v]; e < end; ++e) {
        const unsigned int c = colour[neighbour[e]];
        if (c < COLOURS) {
            used |= 1ull << c;
        }
    }
    out[v] = used == ~0ull ? COLOURS : __ffsll(~used) - 1;
}
