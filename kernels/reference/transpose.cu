// transpose: the transpose of a square matrix of `size` rows; grid size * size / 256, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void transpose_ref(float* out, const float* in, unsigned size)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    const unsigned row = index / size;
    const unsigned column = index % size;
    out[index] = in[column * size + row];
}
