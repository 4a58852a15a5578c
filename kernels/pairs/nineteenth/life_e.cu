// life_e: a generation of the game of life on a torus, a byte a cell.
// Sixteen cells of a row to an access, eight of a column a thread.
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

__device__ __forceinline__ uint4 three_of(const unsigned int* row, int left, const uint4 v, int right)
{
    const unsigned int before = row[left], after = row[right];
    return make_uint4(three(before, v.x, v.y), three(v.x, v.y, v.z), three(v.y, v.z, v.w), three(v.z, v.w, after));
}

extern "C" __global__ void __launch_bounds__(256) life_e(uint4* __restrict__ out, const uint4* __restrict__ in, int width, int height)
{
    const int quads = width / 16;
    const int x = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * ROWS;
    if (x >= quads || first >= height) {
        return;
    }
    // Words beside the sixteen cells.
    const int left = x == 0 ? 4 * quads - 1 : 4 * x - 1, right = x == quads - 1 ? 0 : 4 * x + 4;
    const uint4* row = in + (first == 0 ? height - 1 : first - 1) * quads;
    uint4 above = three_of((const unsigned int*)row, left, row[x], right);
    row = in + first * quads;
    uint4 self = row[x];
    uint4 here = three_of((const unsigned int*)row, left, self, right);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int y = first + r;
        row = in + (y == height - 1 ? 0 : y + 1) * quads;
        const uint4 next = row[x];
        const uint4 below = three_of((const unsigned int*)row, left, next, right);
        out[y * quads + x] = make_uint4(lives(above.x + here.x + below.x, self.x), lives(above.y + here.y + below.y, self.y), lives(above.z + here.z + below.z, self.z), lives(above.w + here.w + below.w, self.w));
        above = here;
        here = below;
        self = next;
    }
}
