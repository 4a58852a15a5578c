// bitonic_rows_before: rows of 1,024 keys sorted upwards.
#define ROW 1024

// A row a block, a key a thread.
extern "C" __global__ void __launch_bounds__(ROW) bitonic_rows_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ in)
{
    __shared__ unsigned int key[ROW];
    const int i = threadIdx.x;
    key[i] = in[(long long)blockIdx.x * ROW + i];
    __syncthreads();
    for (int k = 2; k <= ROW; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            const int partner = i ^ j;
            if (partner > i) {
                const unsigned int a = key[i], b = key[partner];
                if ((a > b) == ((i & k) == 0)) {
                    key[i] = b;
                    key[partner] = a;
                }
            }
            __syncthreads();
        }
    }
    out[(long long)blockIdx.x * ROW + i] = key[i];
}
