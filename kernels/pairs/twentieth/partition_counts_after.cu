// partition_counts_after: how many keys of each 16,384 go to each of the 64 partitions of a join.
#define PARTITIONS 64
#define KEYS 16384

// Lanes with the same partition add once.
__device__ __forceinline__ void add_one(unsigned int* count, unsigned int key)
{
    const unsigned int partition = key * 2654435761u >> 26;
    const unsigned int same = __match_any_sync(0xffffffffu, partition);
    if ((int)(threadIdx.x % 32) == __ffs(same) - 1) {
        atomicAdd(&count[partition], (unsigned int)__popc(same));
    }
}

// KEYS keys a block, counted in shared memory.
extern "C" __global__ void __launch_bounds__(256) partition_counts_after(unsigned int* __restrict__ out, const uint4* __restrict__ key)
{
    __shared__ unsigned int count[PARTITIONS];
    if (threadIdx.x < PARTITIONS) {
        count[threadIdx.x] = 0;
    }
    __syncthreads();
    const uint4* mine = key + (long long)blockIdx.x * (KEYS / 4);
#pragma unroll 4
    for (int k = threadIdx.x; k < KEYS / 4; k += 256) {
        const uint4 four = mine[k];
        add_one(count, four.x);
        add_one(count, four.y);
        add_one(count, four.z);
        add_one(count, four.w);
    }
    __syncthreads();
    if (threadIdx.x < PARTITIONS) {
        out[blockIdx.x * PARTITIONS + threadIdx.x] = count[threadIdx.x];
    }
}
