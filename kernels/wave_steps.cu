// wave_steps: 256 steps of the wave equation on a ring of 270336 cells in one launch, with a barrier of the whole grid behind each.
//
// Shows:      a persistent kernel: blocks that stay, two cells to a thread, and a grid barrier written by hand.
// Limiter:    barriers: one thread of each block adds to a counter in L2 and polls it while 31 warps stand at the block's
//             barrier; that is two ways to L2 and the slowest of 132 blocks, for a step of six loads that L2 answers at once.
// Lever:      fewer barriers: several steps between two of them on a wider halo that is computed twice.
// Shape:      cells = 270336, steps = 256; arrived must be zero before the launch, and all 132 blocks must be resident at once.
// Launch:     grid 132 x 1 x 1, block 1024 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* now [cells], float* before [cells], unsigned* arrived [1], unsigned cells, unsigned steps, float ratio
// Result:     now and before hold steps + 0 and steps - 1 of next[i] == 2 now[i] - before[i] + ratio * (now[i - 1] - 2 now[i] +
//             now[i + 1]) where steps is even; arrived[0] == 132 * steps

__device__ void grid_barrier(unsigned* arrived)
{
    __syncthreads();
    if (threadIdx.x == 0u) {
        __threadfence();
        const unsigned goal = (atomicAdd(arrived, 1u) / gridDim.x + 1u) * gridDim.x;
        while (*reinterpret_cast<volatile unsigned*>(arrived) < goal) {
        }
        __threadfence();
    }
    __syncthreads();  // limiter
}

__global__ void __launch_bounds__(1024)
    wave_steps(float* now, float* before, unsigned* arrived, unsigned cells, unsigned steps, float ratio)
{
    const unsigned first = blockIdx.x * 2048u + threadIdx.x;
    for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
        for (unsigned cell = first; cell < first + 2048u; cell += 1024u) {
            const float left = __ldcg(now + (cell == 0u ? cells - 1u : cell - 1u));
            const float right = __ldcg(now + (cell + 1u == cells ? 0u : cell + 1u));
            const float here = __ldcg(now + cell);
            before[cell] = 2.0f * here - before[cell] + ratio * (left - 2.0f * here + right);
        }
        grid_barrier(arrived);
        float* const next = before;
        before = now;
        now = next;
    }
}
