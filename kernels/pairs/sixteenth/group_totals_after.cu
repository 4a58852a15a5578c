// group_totals_after: amounts of rows summed by one of 4,096 keys.
#define GROUPS 4096

// Lanes of one key add up first, and one of them adds to the total; warps are whole.
__device__ __forceinline__ void add(unsigned int* part, unsigned int key, unsigned int value)
{
    const unsigned int peers = __match_any_sync(0xffffffffu, key);
    unsigned int rest = peers & (0xfffffffeu << threadIdx.x % 32);
    unsigned int sum = value;
    while (__any_sync(0xffffffffu, rest != 0)) {
        const unsigned int other = __shfl_sync(0xffffffffu, value, rest != 0 ? __ffs(rest) - 1 : 0);
        if (rest != 0) {
            sum += other;
            rest &= rest - 1;
        }
    }
    if (threadIdx.x % 32 == __ffs(peers) - 1) {
        atomicAdd(&part[key], sum);
    }
}

// Totals of a block in shared memory, four rows a thread at a time.
extern "C" __global__ void __launch_bounds__(512) group_totals_after(unsigned int* __restrict__ total, const uint4* __restrict__ key, const uint4* __restrict__ value, int fours)
{
    __shared__ unsigned int part[GROUPS];
    for (int i = threadIdx.x; i < GROUPS; i += 512) {
        part[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * 512 + threadIdx.x; i < fours; i += gridDim.x * 512) {
        const uint4 k = key[i], v = value[i];
        add(part, k.x, v.x);
        add(part, k.y, v.y);
        add(part, k.z, v.z);
        add(part, k.w, v.w);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < GROUPS; i += 512) {
        atomicAdd(&total[i], part[i]);
    }
}
