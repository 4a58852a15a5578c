// instruction_cache: the steps as a loop; grid 132, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void instruction_cache_ref(unsigned* out, const unsigned* in, unsigned rounds)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    unsigned x = in[index];
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll 1
        for (unsigned k = 0; k < 8192u; ++k) {
            x = x * x + k;
        }
    }
    out[index] = x;
}
