// life_b: a generation of the game of life on a torus, a byte a cell.
// A cell a thread; the edges by comparison, no remainders.
extern "C" __global__ void __launch_bounds__(256) life_b(unsigned char* __restrict__ out, const unsigned char* __restrict__ in, int width, int height)
{
    const int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    const int rows[3] = {y == 0 ? height - 1 : y - 1, y, y == height - 1 ? 0 : y + 1};
    int sum = 0;
#pragma unroll
    for (int r = 0; r < 3; ++r) {
        const unsigned char* row = in + rows[r] * width;
        sum += row[left] + row[x] + row[right];
    }
    const int self = in[y * width + x];
    out[y * width + x] = sum == 3 || (sum == 4 && self);
}
