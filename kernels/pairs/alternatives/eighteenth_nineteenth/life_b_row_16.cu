// life_b_row_16: a generation of the game of life on a torus, a byte a cell, sixteen cells of a row a thread, 16 bytes a load, cells summed one by one.
#define CELLS 16

extern "C" __global__ void __launch_bounds__(256) life_b_row_16(uint4* __restrict__ out, const unsigned char* __restrict__ in, int width, int height)
{
    const int x = (blockIdx.x * 256 + threadIdx.x) * CELLS, y = blockIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int left = x == 0 ? width - 1 : x - 1, right = x + CELLS == width ? 0 : x + CELLS;
    const int rows[3] = {y == 0 ? height - 1 : y - 1, y, y == height - 1 ? 0 : y + 1};
    uint4 cells[3];
    int before[3], after[3];
#pragma unroll
    for (int r = 0; r < 3; ++r) {
        const unsigned char* row = in + rows[r] * width;
        cells[r] = *(const uint4*)(row + x);
        before[r] = row[left];
        after[r] = row[right];
    }
    // Sums of columns of three cells.
    int column[CELLS + 2];
    column[0] = before[0] + before[1] + before[2];
    column[CELLS + 1] = after[0] + after[1] + after[2];
#pragma unroll
    for (int k = 0; k < CELLS; ++k) {
        column[k + 1] = ((const unsigned char*)&cells[0])[k] + ((const unsigned char*)&cells[1])[k] + ((const unsigned char*)&cells[2])[k];
    }
    uint4 next;
#pragma unroll
    for (int k = 0; k < CELLS; ++k) {
        const int sum = column[k] + column[k + 1] + column[k + 2];
        ((unsigned char*)&next)[k] = (sum == 3) | ((sum == 4) & ((const unsigned char*)&cells[1])[k]);
    }
    out[(y * width + x) / CELLS] = next;
}
