// atomics: counts how often each of four values occurs, with one global atomic per element.
//
// Shows:      contention: all atomics of the grid meet at four addresses of one sector.
// Limiter:    the L2 atomic unit of one slice (LG throttle stalls while it drains).
// Shape:      count = 8388608 unsigned integers (32 MiB); bins holds 4 counters and must be zero before the launch.
// Launch:     grid 32768 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* bins [4], const unsigned* in [count], unsigned count
// Result:     bins[b] == number of i with in[i] mod 4 == b

__global__ void atomics(unsigned* __restrict__ bins, const unsigned* __restrict__ in, unsigned count)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) {
        const unsigned bin = in[index] & 3u;
        atomicAdd(bins + bin, 1u);  // limiter
    }
}
