// life_a: a generation of the game of life on a torus, a byte a cell.
// A cell a thread.
extern "C" __global__ void __launch_bounds__(256) life_a(unsigned char* __restrict__ out, const unsigned char* __restrict__ in, int width, int height)
{
    const int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            const int nx = (x + dx + width) % width, ny = (y + dy + height) % height;
            sum += in[ny * width + nx];
        }
    }
    const int self = in[y * width + x];
    out[y * width + x] = sum == 3 || (sum == 4 && self);
}
