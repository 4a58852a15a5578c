// hist64_before: histogram of the upper six bits of bytes, one set of bins to a block in shared memory.
__global__ void __launch_bounds__(256) hist64_before(unsigned* bins, const uint4* in, unsigned count4)
{
    __shared__ unsigned local[64];
    if (threadIdx.x < 64u) {
        local[threadIdx.x] = 0u;
    }
    __syncthreads();
    for (unsigned i = blockIdx.x * 256u + threadIdx.x; i < count4; i += gridDim.x * 256u) {
        const uint4 v = in[i];
        const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            atomicAdd(local + (words[w] >> 2 & 63u), 1u);
            atomicAdd(local + (words[w] >> 10 & 63u), 1u);
            atomicAdd(local + (words[w] >> 18 & 63u), 1u);
            atomicAdd(local + (words[w] >> 26), 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x < 64u) {
        atomicAdd(bins + threadIdx.x, local[threadIdx.x]);
    }
}
