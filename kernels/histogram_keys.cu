// histogram_keys: counts 32-bit keys in four million bins with one global atomic per key, as a group-by does.
//
// Shows:      counters that fit into L2 (16 MiB), drawn evenly: every slice of L2 adds, and device memory is far from busy.
// Limiter:    L2, which takes a sector for each key; the scatter is inherent, since the address comes from the key.
// Lever:      fewer or narrower updates: partition or sort the keys first, so that lanes of a warp share sectors.
// Shape:      count = 33554432 keys (128 MiB); bins holds 4194304 counters and must be zero before the launch.
// Launch:     grid 131072 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* bins [4194304], const unsigned* keys [count], unsigned count
// Result:     bins[b] == number of i with keys[i] / 1024 == b

__global__ void histogram_keys(unsigned* __restrict__ bins, const unsigned* __restrict__ keys, unsigned count)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) {
        atomicAdd(bins + (keys[index] >> 10), 1u);  // limiter
    }
}
