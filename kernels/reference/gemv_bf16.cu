// gemv_bf16: one row to a thread, in double precision; grid 64, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void gemv_bf16_ref(float* y, const unsigned short* matrix, const float* x, unsigned columns)
{
    const unsigned row = blockIdx.x * 256u + threadIdx.x;
    double sum = 0.0;
    for (unsigned c = 0; c < columns; ++c) {
        const unsigned bits = matrix[row * columns + c];
        sum += static_cast<double>(__uint_as_float(bits << 16)) * static_cast<double>(x[c]);
    }
    y[row] = static_cast<float>(sum);
}
