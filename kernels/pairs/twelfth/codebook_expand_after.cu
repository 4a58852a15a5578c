// codebook_expand_after: weights of a vector-quantised layer, eight halves to a code.
extern "C" __global__ void __launch_bounds__(256) codebook_expand_after(uint4* __restrict__ out, const unsigned int* __restrict__ code, const uint4* __restrict__ codebook, int codes)
{
    __shared__ uint4 book[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        book[i] = codebook[i];
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < codes; i += gridDim.x * blockDim.x) {
        out[i] = book[code[i]];
    }
}
