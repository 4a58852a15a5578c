// colour_first_lanes_8: the first colour that no neighbour of a node has, 8 lanes to a node's list, masks of bits joined by shuffles.
#define COLOURS 64
#define LANES 8

extern "C" __global__ void __launch_bounds__(256) colour_first_lanes_8(unsigned int* __restrict__ out, const unsigned int* __restrict__ colour, const unsigned int* __restrict__ start, const unsigned int* __restrict__ neighbour, int nodes)
{
    const int lane = threadIdx.x % LANES, v = blockIdx.x * (256 / LANES) + threadIdx.x / LANES;
    unsigned long long used = 0;
    if (v < nodes) {
        const unsigned int end = start[v + 1];
        for (unsigned int e = start[v] + lane; e < end; e += LANES) {
            const unsigned int c = colour[neighbour[e]];
            if (c < COLOURS) {
                used |= 1ull << c;
            }
        }
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2) {
        used |= __shfl_xor_sync(0xffffffffu, used, d);
    }
    if (lane == 0 && v < nodes) {
        out[v] = used == ~0ull ? COLOURS : __ffsll(~used) - 1;
    }
}
