// histo_c: counts of byte values, in a copy in shared memory for each warp first.
extern "C" __global__ void __launch_bounds__(256) histo_c(unsigned* bins, const unsigned char* __restrict__ data, unsigned n)
{
    __shared__ unsigned s[8][256];
    for (int w = 0; w < 8; ++w) {
        s[w][threadIdx.x] = 0;
    }
    __syncthreads();
    unsigned* mine = s[threadIdx.x / 32];
    for (unsigned i = blockIdx.x * 256u + threadIdx.x; i < n; i += gridDim.x * 256u) {
        atomicAdd(&mine[data[i]], 1u);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) {
        sum += s[w][threadIdx.x];
    }
    atomicAdd(&bins[threadIdx.x], sum);
}
