// kmer_spectrum_before: counts of the words of four bases in a genome of two bits a base.
extern "C" __global__ void __launch_bounds__(256) kmer_spectrum_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ bases, int words)
{
    __shared__ unsigned int count[256];
    count[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < words; i += gridDim.x * 256) {
        const unsigned int now = bases[i], next = bases[i + 1];
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const unsigned int mer = __funnelshift_r(now, next, 2 * k) & 255;
            atomicAdd(&count[mer], 1u);
        }
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], count[threadIdx.x]);
}
