// life_d: a generation of the game of life on a torus, a byte a cell.
// Four cells of a row to a word, eight words of a column a thread.
#define ROWS 8

// Of each byte whether it is zero; bytes are below 128.
__device__ __forceinline__ unsigned int is_zero(unsigned int x)
{
    return (0x80808080u - x) >> 7 & 0x01010101u;
}

__device__ __forceinline__ unsigned int lives(unsigned int sum, unsigned int self)
{
    return is_zero(sum ^ 0x03030303u) | (is_zero(sum ^ 0x04040404u) & self);
}

// Sums of each byte and the ones beside it.
__device__ __forceinline__ unsigned int three(unsigned int before, unsigned int self, unsigned int after)
{
    return self + __funnelshift_l(before, self, 8) + __funnelshift_r(self, after, 8);
}

extern "C" __global__ void __launch_bounds__(256) life_d(unsigned int* __restrict__ out, const unsigned int* __restrict__ in, int width, int height)
{
    const int words = width / 4;
    const int x = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * ROWS;
    if (x >= words || first >= height) {
        return;
    }
    const int left = x == 0 ? words - 1 : x - 1, right = x == words - 1 ? 0 : x + 1;
    const unsigned int* row = in + (first == 0 ? height - 1 : first - 1) * words;
    unsigned int above = three(row[left], row[x], row[right]);
    row = in + first * words;
    unsigned int self = row[x];
    unsigned int here = three(row[left], self, row[right]);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int y = first + r;
        row = in + (y == height - 1 ? 0 : y + 1) * words;
        const unsigned int next = row[x];
        const unsigned int below = three(row[left], next, row[right]);
        out[y * words + x] = lives(above + here + below, self);
        above = here;
        here = below;
        self = next;
    }
}
