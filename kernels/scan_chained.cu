// scan_chained: inclusive prefix sums of 16 million integers in one pass; each tile waits for the total of the tile before it.
//
// Shows:      a chain through memory from block to block: one thread polls its predecessor's total, 31 warps wait at a barrier.
// Limiter:    barrier stalls, at the barrier behind the thread that polls; the cause is the chain, not the number of barriers.
// Lever:      publish the tile's own total before waiting and look back over several (decoupled look-back), or scan in two passes.
// Shape:      count = 16777216 unsigned integers (64 MiB), tiles = 2048 of 8192; state and ticket must be zero before the launch.
// Launch:     grid 2048 x 1 x 1, block 1024 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* out [count], const unsigned* in [count], unsigned long long* state [tiles], unsigned* ticket [1]
// Result:     out[i] == sum of in[0 .. i] modulo 2^32; state[t] == 2^32 + out[t * 8192 + 8191]; ticket[0] == tiles

__global__ void __launch_bounds__(1024) scan_chained(unsigned* __restrict__ out, const unsigned* __restrict__ in,
                                                     unsigned long long* state, unsigned* ticket)
{
    __shared__ unsigned totals[32];
    __shared__ unsigned tile, before;
    const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u;
    if (threadIdx.x == 0u) {
        tile = atomicAdd(ticket, 1u);
    }
    __syncthreads();
    const unsigned base = tile * 8192u + threadIdx.x * 8u;
    unsigned value[8];
    *reinterpret_cast<uint4*>(value) = *reinterpret_cast<const uint4*>(in + base);
    *reinterpret_cast<uint4*>(value + 4) = *reinterpret_cast<const uint4*>(in + base + 4u);
#pragma unroll
    for (unsigned i = 1; i < 8u; ++i) {
        value[i] += value[i - 1u];
    }
    unsigned sum = value[7];
#pragma unroll
    for (unsigned distance = 1u; distance < 32u; distance *= 2u) {
        const unsigned other = __shfl_up_sync(0xffffffffu, sum, distance);
        sum += lane >= distance ? other : 0u;
    }
    if (lane == 31u) {
        totals[warp] = sum;
    }
    __syncthreads();
    unsigned offset = sum - value[7], total = 0u;
#pragma unroll
    for (unsigned w = 0; w < 32u; ++w) {
        offset += w < warp ? totals[w] : 0u;
        total += totals[w];
    }
    if (threadIdx.x == 0u) {
        unsigned long long previous = tile == 0u ? 1ull << 32 : 0ull;
        while (previous == 0ull) {
            previous = *reinterpret_cast<volatile unsigned long long*>(state + tile - 1u);
        }
        before = static_cast<unsigned>(previous);
        *reinterpret_cast<volatile unsigned long long*>(state + tile) = (1ull << 32) + (before + total);
    }
    __syncthreads();  // limiter
    offset += before;
#pragma unroll
    for (unsigned i = 0; i < 8u; ++i) {
        value[i] += offset;
    }
    *reinterpret_cast<uint4*>(out + base) = *reinterpret_cast<const uint4*>(value);
    *reinterpret_cast<uint4*>(out + base + 4u) = *reinterpret_cast<const uint4*>(value + 4);
}
