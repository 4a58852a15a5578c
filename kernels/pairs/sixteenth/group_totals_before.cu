// group_totals_before: amounts of rows summed by one of 4,096 keys.
#define GROUPS 4096

// Totals of a block in shared memory, four rows a thread at a time.
extern "C" __global__ void __launch_bounds__(512) group_totals_before(unsigned int* __restrict__ total, const uint4* __restrict__ key, const uint4* __restrict__ value, int fours)
{
    __shared__ unsigned int part[GROUPS];
    for (int i = threadIdx.x; i < GROUPS; i += 512) {
        part[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * 512 + threadIdx.x; i < fours; i += gridDim.x * 512) {
        const uint4 k = key[i], v = value[i];
        atomicAdd(&part[k.x], v.x);
        atomicAdd(&part[k.y], v.y);
        atomicAdd(&part[k.z], v.z);
        atomicAdd(&part[k.w], v.w);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < GROUPS; i += 512) {
        atomicAdd(&total[i], part[i]);
    }
}
