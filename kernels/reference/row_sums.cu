// row_sums: sums of rows of 1024 in double precision; grid rows / 256, block 256.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void row_sums_ref(float* out, const float* in, unsigned rows)
{
    const unsigned row = blockIdx.x * 256u + threadIdx.x;
    if (row < rows) {
        double sum = 0.0;
        for (unsigned k = 0; k < 1024u; ++k) {
            sum += static_cast<double>(in[row * 1024u + k]);
        }
        out[row] = static_cast<float>(sum);
    }
}
