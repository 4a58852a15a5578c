// limbs_after: powers of numbers of 256 bits, the low half of each product.
typedef unsigned long long u64;
extern "C" __global__ void __launch_bounds__(256) limbs_after(u64* __restrict__ out, const u64* __restrict__ in, int count, int turns)
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
                const unsigned __int128 sum = (unsigned __int128)a[j] * b[k] + r[j + k] + carry;
                r[j + k] = (u64)sum;
                carry = (u64)(sum >> 64);
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
