// bucketize: the bucket of each of eight million values among a million sorted boundaries, by binary search.
//
// Shows:      twenty dependent loads a thread, each of 32 lanes at 32 places: 12 steps hit in L1, the rest in L2, none in DRAM.
// Limiter:    the L1 cache, which takes one line a cycle: some fifteen steps of 32 lines each for a warp. At full occupancy the
//             latency of the chain is hidden.
// Lever:      sort the values first, so that lanes of a warp share lines; else the upper levels in shared memory, or nodes of
//             several boundaries (a B-tree), so that there are fewer steps.
// Shape:      values = 8388608, boundaries = 1048576 (4 MiB).
// Launch:     grid 32768 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* bucket [values], const unsigned* value [values], const unsigned* boundary [1048576], unsigned boundaries
// Result:     bucket[i] == number of boundaries that are at most value[i]

__global__ void bucketize(unsigned* __restrict__ bucket, const unsigned* __restrict__ value,
                          const unsigned* __restrict__ boundary, unsigned boundaries)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned own = value[index];
    unsigned low = 0u, high = boundaries;
    while (low < high) {
        const unsigned middle = (low + high) / 2u;
        if (boundary[middle] <= own) {  // limiter
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    bucket[index] = low;
}
