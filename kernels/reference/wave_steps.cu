// wave_steps: one block walks over all cells, step by step; grid 1, block 1024.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void wave_steps_ref(float* now, float* before, unsigned* arrived, unsigned cells, unsigned steps, float ratio)
{
    for (unsigned step = 0; step < steps; ++step) {
        const float* from = step % 2u == 0u ? now : before;
        float* to = step % 2u == 0u ? before : now;
        for (unsigned cell = threadIdx.x; cell < cells; cell += 1024u) {
            const float left = from[(cell + cells - 1u) % cells], right = from[(cell + 1u) % cells];
            to[cell] = 2.0f * from[cell] - to[cell] + ratio * (left - 2.0f * from[cell] + right);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0u) {
        arrived[0] += 132u * steps;
    }
}
