// kth_value_before: k-th largest value of rows of 4,096, a block to a row, bit by bit.
extern "C" __global__ void __launch_bounds__(256) kth_value_before(unsigned* out, const unsigned* __restrict__ in, unsigned k)
{
    __shared__ unsigned part[8];
    const int t = threadIdx.x;
    unsigned v[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        v[i] = in[(long long)blockIdx.x * 4096 + i * 256 + t];
    }
    unsigned found = 0;
    for (int bit = 31; bit >= 0; --bit) {
        const unsigned candidate = found | 1u << bit;
        unsigned count = 0;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            count += v[i] >= candidate;
        }
        count = __reduce_add_sync(~0u, count);
        if (t % 32 == 0) {
            part[t / 32] = count;
        }
        __syncthreads();
        unsigned all = 0;
#pragma unroll
        for (int w = 0; w < 8; ++w) {
            all += part[w];
        }
        __syncthreads();
        if (all >= k) {
            found = candidate;
        }
    }
    if (t == 0) {
        out[blockIdx.x] = found;
    }
}
