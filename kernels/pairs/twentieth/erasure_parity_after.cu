// erasure_parity_after: four parity shards of eight data shards, a Reed-Solomon code over GF(256) with the polynomial 0x11d.
#define DATA 8
#define PARITY 4

// Four bytes times two.
__device__ __forceinline__ unsigned int twice(unsigned int four)
{
    return (four & 0x7f7f7f7fu) << 1 ^ (four >> 7 & 0x01010101u) * 0x1du;
}

// Four bytes of each shard a thread; the coefficient of shard i in parity j is 2^(i j), by Horner's rule.
extern "C" __global__ void __launch_bounds__(256) erasure_parity_after(unsigned int* __restrict__ parity, const unsigned int* __restrict__ data, int words)
{
    const int w = blockIdx.x * 256 + threadIdx.x;
    if (w >= words) {
        return;
    }
    unsigned int sum[PARITY] = {0, 0, 0, 0};
#pragma unroll
    for (int i = DATA - 1; i >= 0; --i) {
        const unsigned int four = data[(long long)i * words + w];
#pragma unroll
        for (int j = 0; j < PARITY; ++j) {
#pragma unroll
            for (int d = 0; d < j; ++d) {
                sum[j] = twice(sum[j]);
            }
            sum[j] ^= four;
        }
    }
#pragma unroll
    for (int j = 0; j < PARITY; ++j) {
        parity[(long long)j * words + w] = sum[j];
    }
}
