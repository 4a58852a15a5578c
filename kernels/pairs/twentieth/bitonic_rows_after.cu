// bitonic_rows_after: rows of 1,024 keys sorted upwards.
#define ROW 1024

// A row a block, a key a thread, in a register; partners in the same warp meet by shuffles.
extern "C" __global__ void __launch_bounds__(ROW) bitonic_rows_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ in)
{
    __shared__ unsigned int exchange[2][ROW];
    const int i = threadIdx.x;
    unsigned int key = in[(long long)blockIdx.x * ROW + i];
    int side = 0;
    for (int k = 2; k <= ROW; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            unsigned int other;
            if (j >= 32) {
                exchange[side][i] = key;
                __syncthreads();
                other = exchange[side][i ^ j];
                side ^= 1;
            } else {
                other = __shfl_xor_sync(0xffffffffu, key, j);
            }
            const bool least = ((i & j) == 0) == ((i & k) == 0);
            key = least ? min(key, other) : max(key, other);
        }
    }
    out[(long long)blockIdx.x * ROW + i] = key;
}
