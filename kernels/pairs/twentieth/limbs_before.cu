// limbs_before: powers of numbers of 256 bits, the low half of each product.
typedef unsigned long long u64;
extern "C" __global__ void __launch_bounds__(256) limbs_before(u64* __restrict__ out, const u64* __restrict__ in, int count, int turns)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= count) {
        return;
    }
    u64 a[4], b[4];
    for (int k = 0; k < 4; ++k) {
        a[k] = b[k] = in[i * 4 + k];
    }
    for (int turn = 0; turn < turns; ++turn) {
        u64 r[8] = {};
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            u64 carry = 0;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                u64 low = a[j] * b[k], high = __umul64hi(a[j], b[k]);
                low += carry;
                high += low < carry;
                low += r[j + k];
                high += low < r[j + k];
                r[j + k] = low;
                carry = high;
            }
            r[j + 4] = carry;
        }
        for (int k = 0; k < 4; ++k) {
            a[k] = r[k] ^ r[k + 4];
        }
    }
    for (int k = 0; k < 4; ++k) {
        out[i * 4 + k] = a[k];
    }
}
