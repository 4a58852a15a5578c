// bucketize: bits of the result from the highest down; grid 32768, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void bucketize_ref(unsigned* bucket, const unsigned* value, const unsigned* boundary, unsigned boundaries)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    unsigned below = 0u;
    for (unsigned step = 1u << 20; step > 0u; step /= 2u) {
        if (below + step <= boundaries && boundary[below + step - 1u] <= value[index]) {
            below += step;
        }
    }
    bucket[index] = below;
}
