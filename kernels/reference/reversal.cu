// reversal: segments of 40960 floats in reverse; grid segments * 160, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void reversal_ref(float* out, const float* in)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    const unsigned segment = index / 40960u;
    out[index] = in[segment * 40960u + (40959u - index % 40960u)];
}
