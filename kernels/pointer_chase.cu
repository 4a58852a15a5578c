// pointer_chase: follows chains of indices through a table larger than L2.
//
// Shows:      dependent loads: each address is the value of the load before it, so nothing overlaps within a thread.
// Limiter:    latency (long scoreboard stalls); every unit is nearly idle.
// Shape:      mask + 1 = 33554432 unsigned integers (128 MiB), a power of two, of any value.
// Launch:     grid 132 x 1 x 1, block 128 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* out [grid * 128], const unsigned* table [mask + 1], unsigned mask
// Result:     x = global thread index; 256 times x = table[x & mask]; out[thread] == x

__global__ void pointer_chase(unsigned* __restrict__ out, const unsigned* __restrict__ table, unsigned mask)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = thread;
#pragma unroll 1
    for (unsigned step = 0; step < 256u; ++step) {
        x = table[x & mask];  // limiter
    }
    out[thread] = x;
}
