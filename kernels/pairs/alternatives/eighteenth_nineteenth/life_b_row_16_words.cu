// life_b_row_16_words: a generation of the game of life on a torus, a byte a cell, sixteen cells of a row a thread, 16 bytes a load, four cells of a word at once.
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

extern "C" __global__ void __launch_bounds__(256) life_b_row_16_words(uint4* __restrict__ out, const uint4* __restrict__ in, int width, int height)
{
    const int quads = width / 16;
    const int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    if (x >= quads || y >= height) {
        return;
    }
    // Words beside the sixteen cells.
    const int left = x == 0 ? 4 * quads - 1 : 4 * x - 1, right = x == quads - 1 ? 0 : 4 * x + 4;
    const uint4 *above = in + (y == 0 ? height - 1 : y - 1) * quads, *here = in + y * quads, *below = in + (y == height - 1 ? 0 : y + 1) * quads;
    const uint4 u = above[x], self = here[x], d = below[x];
    const uint4 a = three_of((const unsigned int*)above, left, u, right), h = three_of((const unsigned int*)here, left, self, right), b = three_of((const unsigned int*)below, left, d, right);
    out[y * quads + x] = make_uint4(lives(a.x + h.x + b.x, self.x), lives(a.y + h.y + b.y, self.y), lives(a.z + h.z + b.z, self.z), lives(a.w + h.w + b.w, self.w));
}
