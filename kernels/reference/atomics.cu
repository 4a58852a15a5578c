// atomics: counts one of four values per block; grid 4, block 1024.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void atomics_ref(unsigned* bins, const unsigned* in, unsigned count)
{
    __shared__ unsigned partial[1024];
    unsigned found = 0u;
    for (unsigned index = threadIdx.x; index < count; index += 1024u) {
        found += in[index] % 4u == blockIdx.x ? 1u : 0u;
    }
    partial[threadIdx.x] = found;
    __syncthreads();
    if (threadIdx.x == 0u) {
        unsigned sum = 0u;
        for (unsigned thread = 0; thread < 1024u; ++thread) {
            sum += partial[thread];
        }
        bins[blockIdx.x] = sum;
    }
}
