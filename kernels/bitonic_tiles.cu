// bitonic_tiles: sorts tiles of 1024 keys, one block of 512 threads to a tile, by a bitonic network in shared memory.
//
// Shows:      55 steps, each of two loads and two stores a thread and a barrier; in 30 of them partners lie 2 to 16 keys apart,
//             and the lanes of a warp meet in pairs at the banks.
// Limiter:    bank conflicts of shared memory: a warp takes 340 turns where 220 would do; its instructions take 120 cycles of
//             issue, and four blocks on an SM hide one another's barriers.
// Lever:      exchange partners less than 32 apart by shuffles, in registers: no bank and no barrier in 40 of 55 steps.
// Shape:      count = 16777216 keys (64 MiB), tiles = 16384.
// Launch:     grid 16384 x 1 x 1, block 512 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* out [count], const unsigned* in [count]
// Result:     each tile of out holds the keys of that tile of in, ascending

__global__ void bitonic_tiles(unsigned* out, const unsigned* in)
{
    __shared__ unsigned keys[1024];
    const unsigned base = blockIdx.x * 1024u;
    keys[threadIdx.x] = in[base + threadIdx.x];
    keys[threadIdx.x + 512u] = in[base + threadIdx.x + 512u];
    for (unsigned run = 2u; run <= 1024u; run *= 2u) {
        for (unsigned distance = run / 2u; distance > 0u; distance /= 2u) {
            __syncthreads();
            const unsigned low = 2u * threadIdx.x - (threadIdx.x & (distance - 1u));
            const unsigned first = keys[low], second = keys[low + distance];  // limiter
            const bool is_ascending = (low & run) == 0u;
            if ((first > second) == is_ascending) {
                keys[low] = second;
                keys[low + distance] = first;
            }
        }
    }
    __syncthreads();
    out[base + threadIdx.x] = keys[threadIdx.x];
    out[base + threadIdx.x + 512u] = keys[threadIdx.x + 512u];
}
