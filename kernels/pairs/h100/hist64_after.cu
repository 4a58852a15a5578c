// hist64_after: the same histogram, bins privatised by lane: lane l owns bank l, so that a warp's additions never collide.
__global__ void __launch_bounds__(256) hist64_after(unsigned* bins, const uint4* in, unsigned count4)
{
    __shared__ unsigned local[64 * 32];
    for (unsigned i = threadIdx.x; i < 64u * 32u; i += 256u) {
        local[i] = 0u;
    }
    __syncthreads();
    unsigned* mine = local + (threadIdx.x & 31u);
    for (unsigned i = blockIdx.x * 256u + threadIdx.x; i < count4; i += gridDim.x * 256u) {
        const uint4 v = in[i];
        const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            atomicAdd(mine + 32u * (words[w] >> 2 & 63u), 1u);
            atomicAdd(mine + 32u * (words[w] >> 10 & 63u), 1u);
            atomicAdd(mine + 32u * (words[w] >> 18 & 63u), 1u);
            atomicAdd(mine + 32u * (words[w] >> 26), 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x < 64u) {
        unsigned sum = 0u;
        for (unsigned lane = 0; lane < 32u; ++lane) {
            sum += local[threadIdx.x * 32u + ((lane + threadIdx.x) & 31u)];
        }
        atomicAdd(bins + threadIdx.x, sum);
    }
}
