// layernorm: one block of 32 threads per row, sums in double precision by its first thread; grid rows, block 32.
// One thread per output and nothing clever: what kernels of this folder's parent are checked against.

__global__ void layernorm_ref(float* out, const float* in, const float* gain, const float* shift, unsigned columns, float epsilon)
{
    __shared__ double mean, scale;
    const float* row = in + blockIdx.x * columns;
    if (threadIdx.x == 0u) {
        double sum = 0.0;
        for (unsigned c = 0; c < columns; ++c) {
            sum += static_cast<double>(row[c]);
        }
        mean = sum / columns;
        double squares = 0.0;
        for (unsigned c = 0; c < columns; ++c) {
            const double distance = static_cast<double>(row[c]) - mean;
            squares += distance * distance;
        }
        scale = 1.0 / sqrt(squares / columns + static_cast<double>(epsilon));
    }
    __syncthreads();
    for (unsigned c = threadIdx.x; c < columns; c += 32u) {
        const double normal = (static_cast<double>(row[c]) - mean) * scale;
        out[blockIdx.x * columns + c] = static_cast<float>(normal * static_cast<double>(gain[c]) + static_cast<double>(shift[c]));
    }
}
