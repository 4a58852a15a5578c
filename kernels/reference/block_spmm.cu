// block_spmm: one output to a thread, sums in double precision; grid 3 x 33792, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void block_spmm_ref(float* c, const float* value, const unsigned* column, const float* b)
{
    const unsigned j = blockIdx.x * 256u + threadIdx.x, row = blockIdx.y, strip = row / 32u;
    double sum = 0.0;
    for (unsigned i = 0; i < 64u; ++i) {
        const unsigned entry = strip * 64u + i;
        sum += static_cast<double>(value[entry * 32u + row % 32u]) * b[column[entry] * 768u + j];
    }
    c[row * 768u + j] = static_cast<float>(sum);
}
