// byte_sort_before: keys of a byte put in order, 2,048 to a block, by counting.
#define KEYS 2048

extern "C" __global__ void __launch_bounds__(256) byte_sort_before(unsigned char* __restrict__ out, const unsigned char* __restrict__ in)
{
    __shared__ unsigned int place[256];
    const int t = threadIdx.x;
    const unsigned char* own = in + (long long)blockIdx.x * KEYS;
    unsigned char* to = out + (long long)blockIdx.x * KEYS;
    place[t] = 0;
    __syncthreads();
    unsigned char key[KEYS / 256];
#pragma unroll
    for (int k = 0; k < KEYS / 256; ++k) {
        key[k] = own[k * 256 + t];
        atomicAdd(&place[key[k]], 1u);
    }
    __syncthreads();
    if (t == 0) {
        unsigned int sum = 0;
        for (int b = 0; b < 256; ++b) {
            const unsigned int count = place[b];
            place[b] = sum;
            sum += count;
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < KEYS / 256; ++k) {
        to[atomicAdd(&place[key[k]], 1u)] = key[k];
    }
}
