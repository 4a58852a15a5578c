// sfu_bound: square root and division in double precision; grid 2112, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void sfu_bound_ref(float* out, const float* in)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    double sum = 0.0;
    for (unsigned k = 0; k < 512u; ++k) {
        sum += 1.0 / sqrt(static_cast<double>(in[index]) + static_cast<double>(k));
    }
    out[index] = static_cast<float>(sum);
}
