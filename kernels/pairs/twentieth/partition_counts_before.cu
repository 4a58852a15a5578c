// partition_counts_before: how many keys of each 16,384 go to each of the 64 partitions of a join.
#define PARTITIONS 64
#define KEYS 16384

// KEYS keys a block, counted in shared memory.
extern "C" __global__ void __launch_bounds__(256) partition_counts_before(unsigned int* __restrict__ out, const uint4* __restrict__ key)
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
        atomicAdd(&count[four.x * 2654435761u >> 26], 1u);
        atomicAdd(&count[four.y * 2654435761u >> 26], 1u);
        atomicAdd(&count[four.z * 2654435761u >> 26], 1u);
        atomicAdd(&count[four.w * 2654435761u >> 26], 1u);
    }
    __syncthreads();
    if (threadIdx.x < PARTITIONS) {
        out[blockIdx.x * PARTITIONS + threadIdx.x] = count[threadIdx.x];
    }
}
