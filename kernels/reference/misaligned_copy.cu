// misaligned_copy: out[i] = in[i + 1]; grid count / 256, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void misaligned_copy_ref(float* out, const float* in, unsigned count)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    if (index < count) {
        out[index] = in[index + 1u];
    }
}
