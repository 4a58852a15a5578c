// run_expand_after: a column of runs written out in full, a warp to 32 runs, a lane to the next place, its run found over the lanes' starts.
__device__ __forceinline__ int find(unsigned start, unsigned place)
{
    int at = 0;
#pragma unroll
    for (int step = 16; step; step /= 2) {
        at += __shfl_sync(~0u, start, at + step) <= place ? step : 0;
    }
    return at;
}

extern "C" __global__ void __launch_bounds__(256) run_expand_after(unsigned* __restrict__ out, const unsigned* __restrict__ value, const unsigned* __restrict__ start, int runs)
{
    const int first = (blockIdx.x * 256 + threadIdx.x) & ~31, lane = threadIdx.x % 32, run = first + lane;
    if (first >= runs) {
        return;
    }
    const unsigned from = run < runs ? start[run] : ~0u, v = run < runs ? value[run] : 0, end = start[min(first + 32, runs)];
    for (unsigned base = __shfl_sync(~0u, from, 0); base < end; base += 32) {
        const unsigned place = base + lane, found = __shfl_sync(~0u, v, find(from, place));
        if (place < end) {
            out[place] = found;
        }
    }
}
