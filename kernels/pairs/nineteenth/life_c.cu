// life_c: a generation of the game of life on a torus, a byte a cell.
// Eight cells of a column a thread; sums of three cells of a row serve three cells.
#define ROWS 8

extern "C" __global__ void __launch_bounds__(256) life_c(unsigned char* __restrict__ out, const unsigned char* __restrict__ in, int width, int height)
{
    const int x = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * ROWS;
    if (x >= width || first >= height) {
        return;
    }
    const int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    const unsigned char* row = in + (first == 0 ? height - 1 : first - 1) * width;
    int above = row[left] + row[x] + row[right];
    row = in + first * width;
    int self = row[x];
    int here = row[left] + self + row[right];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int y = first + r;
        row = in + (y == height - 1 ? 0 : y + 1) * width;
        const int next = row[x];
        const int below = row[left] + next + row[right];
        const int sum = above + here + below;
        out[y * width + x] = sum == 3 || (sum == 4 && self);
        above = here;
        here = below;
        self = next;
    }
}
