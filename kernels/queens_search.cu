// queens_search: counts the ways to place 14 queens, one to a row, by backtracking with bit masks; each thread takes one placement of the
// first six rows and searches the rest.
//
// Shows:      a search of irregular length to each lane, a stack for each thread in shared memory, a branch for each step forward or back.
// Limiter:    divergence: one placement in 31 stands at all, so that a warp starts with one lane or none, and those go forward, back and
//             count in turns: 2.6 of 32 lanes take part in an instruction, while the warps of an SM fill its issue slots.
// Lever:      collect the placements that stand before the search, so that warps start full; a lane that is done takes the next one
//             from a queue.
// Shape:      size = 14, placements = 14^6 = 7529536.
// Launch:     grid 58825 x 1 x 1, block 128 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* ways [size^6], unsigned size, unsigned placements
// Result:     ways[i] == solutions whose queens of the first six rows stand in the columns that are the digits of i to the base size,
//             the lowest digit first

__global__ void __launch_bounds__(128) queens_search(unsigned* ways, unsigned size, unsigned placements)
{
    __shared__ uint4 stack[7][128];
    const unsigned index = blockIdx.x * 128u + threadIdx.x, all = (1u << size) - 1u;
    if (index >= placements) {
        return;
    }
    unsigned columns = 0u, left = 0u, right = 0u, rest = index, hit = 0u;
    for (unsigned row = 0; row < 6u; ++row) {
        const unsigned queen = 1u << rest % size;
        rest /= size;
        hit |= queen & (columns | left | right);
        columns |= queen;
        left = (left | queen) << 1;
        right = (right | queen) >> 1;
    }
    unsigned count = 0u, depth = 0u, open = hit == 0u ? all & ~(columns | left | right) : 0u;
    while (true) {
        if (open == 0u) {
            if (depth == 0u) {
                break;
            }
            const uint4 top = stack[--depth][threadIdx.x];
            columns = top.x;
            left = top.y;
            right = top.z;
            open = top.w;
        } else if (depth + 7u == size) {
            count += __popc(open);
            open = 0u;
        } else {
            const unsigned queen = open & (0u - open);
            stack[depth++][threadIdx.x] = make_uint4(columns, left, right, open ^ queen);
            columns |= queen;
            left = (left | queen) << 1;
            right = (right | queen) >> 1;
            open = all & ~(columns | left | right);  // limiter
        }
    }
    ways[index] = count;
}
