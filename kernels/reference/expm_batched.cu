// expm_batched: one row of the result to a thread, sum of powers of the matrix applied to a row; grid batch, block 64.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void expm_batched_ref(double* out, const double* in)
{
    const double* matrix = in + blockIdx.x * 4096u;
    double term[64], sum[64], next[64];
    for (unsigned j = 0; j < 64u; ++j) {
        term[j] = sum[j] = j == threadIdx.x ? 1.0 : 0.0;
    }
    for (unsigned s = 1; s <= 12u; ++s) {
        for (unsigned j = 0; j < 64u; ++j) {
            next[j] = 0.0;
            for (unsigned k = 0; k < 64u; ++k) {
                next[j] += term[k] * matrix[k * 64u + j];
            }
        }
        for (unsigned j = 0; j < 64u; ++j) {
            term[j] = next[j] / static_cast<double>(s);
            sum[j] += term[j];
        }
    }
    for (unsigned j = 0; j < 64u; ++j) {
        out[blockIdx.x * 4096u + threadIdx.x * 64u + j] = sum[j];
    }
}
