// histo_b: counts of byte values, in shared memory first.
extern "C" __global__ void __launch_bounds__(256) histo_b(unsigned* bins, const unsigned char* __restrict__ data, unsigned n)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * 256u + threadIdx.x; i < n; i += gridDim.x * 256u) {
        atomicAdd(&s[data[i]], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
