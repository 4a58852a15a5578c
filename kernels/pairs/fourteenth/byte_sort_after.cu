// byte_sort_after: keys of a byte put in order, 2,048 to a block, by counting.
#define KEYS 2048

extern "C" __global__ void __launch_bounds__(256) byte_sort_after(unsigned char* __restrict__ out, const unsigned char* __restrict__ in)
{
    __shared__ unsigned int place[256];
    __shared__ unsigned int total[8];
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
    const unsigned int count = place[t];
    unsigned int sum = count;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const unsigned int other = __shfl_up_sync(0xffffffffu, sum, d);
        sum += t % 32 >= d ? other : 0u;
    }
    if (t % 32 == 31) {
        total[t / 32] = sum;
    }
    __syncthreads();
    for (int w = 0; w < t / 32; ++w) {
        sum += total[w];
    }
    place[t] = sum - count;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < KEYS / 256; ++k) {
        to[atomicAdd(&place[key[k]], 1u)] = key[k];
    }
}
