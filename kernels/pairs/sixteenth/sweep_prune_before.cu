// sweep_prune_before: pairs of boxes that may touch, for the collisions of a scene.
// A thread to a box; boxes stand in the order of their left sides.
extern "C" __global__ void __launch_bounds__(128) sweep_prune_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ left, const unsigned int* __restrict__ wide, const unsigned int* __restrict__ low, const unsigned int* __restrict__ front, unsigned int size, int boxes)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= boxes) {
        return;
    }
    const unsigned int right = left[i] + wide[i], y = low[i], z = front[i];
    unsigned int hits = 0;
    for (int j = i + 1; j < boxes; ++j) {
        if (left[j] <= right && low[j] <= y + size && y <= low[j] + size && front[j] <= z + size && z <= front[j] + size) {
            ++hits;
        }
    }
    out[i] = hits;
}
