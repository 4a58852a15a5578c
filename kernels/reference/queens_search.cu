// queens_search: one placement to a thread, each queen held against all before it; grid 58825, block 128.
// Nothing clever: what kernels of this folder's parent are checked against.

__device__ bool stands(const int* column, int row)
{
    for (int before = 0; before < row; ++before) {
        const int apart = column[row] - column[before];
        if (apart == 0 || apart == row - before || apart == before - row) {
            return false;
        }
    }
    return true;
}

__global__ void queens_search_ref(unsigned* ways, unsigned size, unsigned placements)
{
    const unsigned index = blockIdx.x * 128u + threadIdx.x;
    if (index >= placements) {
        return;
    }
    int column[32];
    bool standing = true;
    for (unsigned row = 0, rest = index; row < 6u; ++row, rest /= size) {
        column[row] = static_cast<int>(rest % size);
        standing = standing && stands(column, static_cast<int>(row));
    }
    unsigned count = 0u;
    int row = standing ? 6 : 5;
    column[6] = -1;
    while (row > 5) {
        if (++column[row] == static_cast<int>(size)) {
            --row;
        } else if (stands(column, row)) {
            if (row + 1 == static_cast<int>(size)) {
                ++count;
            } else {
                column[++row] = -1;
            }
        }
    }
    ways[index] = count;
}
