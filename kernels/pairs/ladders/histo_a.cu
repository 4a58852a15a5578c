// histo_a: counts of byte values, an atomic on device memory for each.
extern "C" __global__ void __launch_bounds__(256) histo_a(unsigned* bins, const unsigned char* __restrict__ data, unsigned n)
{
    for (unsigned i = blockIdx.x * 256u + threadIdx.x; i < n; i += gridDim.x * 256u) {
        atomicAdd(&bins[data[i]], 1u);
    }
}
