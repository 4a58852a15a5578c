// life_b_ahead_4: a generation of the game of life on a torus, a byte a cell, four cells of a row a thread, 256 apart, all their bytes loaded first.
#define CELLS 4

extern "C" __global__ void __launch_bounds__(256) life_b_ahead_4(unsigned char* __restrict__ out, const unsigned char* __restrict__ in, int width, int height)
{
    const int x0 = blockIdx.x * 256 * CELLS + threadIdx.x, y = blockIdx.y;
    const int rows[3] = {y == 0 ? height - 1 : y - 1, y, y == height - 1 ? 0 : y + 1};
    unsigned char near[CELLS][3][3];
    // Widths are a multiple of 1,024.
#pragma unroll
    for (int k = 0; k < CELLS; ++k) {
        const int x = x0 + 256 * k, left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
#pragma unroll
        for (int r = 0; r < 3; ++r) {
            const unsigned char* row = in + rows[r] * width;
            near[k][r][0] = row[left];
            near[k][r][1] = row[x];
            near[k][r][2] = row[right];
        }
    }
#pragma unroll
    for (int k = 0; k < CELLS; ++k) {
        int sum = 0;
#pragma unroll
        for (int r = 0; r < 3; ++r) {
            sum += near[k][r][0] + near[k][r][1] + near[k][r][2];
        }
        out[y * width + x0 + 256 * k] = (sum == 3) | ((sum == 4) & near[k][1][1]);
    }
}
