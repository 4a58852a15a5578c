// kth_value_after: k-th largest value of rows of 4,096, a block to a row, eight bits at a time by counts in shared memory.
extern "C" __global__ void __launch_bounds__(256) kth_value_after(unsigned* out, const unsigned* __restrict__ in, unsigned k)
{
    __shared__ unsigned count[256], part[8], digit, left;
    const int t = threadIdx.x;
    unsigned v[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        v[i] = in[(long long)blockIdx.x * 4096 + i * 256 + t];
    }
    unsigned found = 0, mask = 0;
#pragma unroll 1
    for (int shift = 24; shift >= 0; shift -= 8) {
        count[t] = 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if ((v[i] & mask) == found) {
                atomicAdd(&count[v[i] >> shift & 255u], 1u);
            }
        }
        __syncthreads();
        const unsigned own = count[255 - t];
        unsigned sum = own;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const unsigned lower = __shfl_up_sync(~0u, sum, d);
            sum += t % 32 >= d ? lower : 0u;
        }
        if (t % 32 == 31) {
            part[t / 32] = sum;
        }
        __syncthreads();
#pragma unroll
        for (int w = 0; w < 8; ++w) {
            sum += w < t / 32 ? part[w] : 0u;
        }
        if (sum >= k && sum - own < k) {
            digit = 255 - t;
            left = k - (sum - own);
        }
        __syncthreads();
        found |= digit << shift;
        mask |= 255u << shift;
        k = left;
    }
    if (t == 0) {
        out[blockIdx.x] = found;
    }
}
