// colour_first_lanes_shared: the first colour that no neighbour of a node has, eight lanes to a node's list, its used colours as bytes in shared memory.
#define COLOURS 64
#define LANES 8

extern "C" __global__ void __launch_bounds__(256) colour_first_lanes_shared(unsigned int* __restrict__ out, const unsigned int* __restrict__ colour, const unsigned int* __restrict__ start, const unsigned int* __restrict__ neighbour, int nodes)
{
    __shared__ uint2 flags[256 / LANES][COLOURS / 8];
    const int lane = threadIdx.x % LANES, v = blockIdx.x * (256 / LANES) + threadIdx.x / LANES;
    unsigned char* used = (unsigned char*)flags[threadIdx.x / LANES];
    flags[threadIdx.x / LANES][lane] = make_uint2(0, 0);
    __syncwarp();
    if (v < nodes) {
        const unsigned int end = start[v + 1];
        for (unsigned int e = start[v] + lane; e < end; e += LANES) {
            const unsigned int c = colour[neighbour[e]];
            if (c < COLOURS) {
                used[c] = 1;
            }
        }
    }
    __syncwarp();
    // The first free colour among a lane's eight, then of all lanes.
    const uint2 own = flags[threadIdx.x / LANES][lane];
    const int low = __ffs(~own.x & 0x01010101u), high = __ffs(~own.y & 0x01010101u);
    unsigned int first = low ? lane * 8 + low / 8 : high ? lane * 8 + 4 + high / 8 : COLOURS;
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2) {
        first = min(first, __shfl_xor_sync(0xffffffffu, first, d));
    }
    if (lane == 0 && v < nodes) {
        out[v] = first;
    }
}
