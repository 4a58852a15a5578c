// ell_apply_before: a sparse matrix with 24 entries in each row, stored row after row, times a vector, in double precision.
#define ENTRIES 24

// A row a thread.
extern "C" __global__ void __launch_bounds__(256) ell_apply_before(double* __restrict__ out, const double* __restrict__ value, const unsigned int* __restrict__ column, const double* __restrict__ x, int rows)
{
    const int r = blockIdx.x * 256 + threadIdx.x;
    if (r >= rows) {
        return;
    }
    const double* v = value + (long long)r * ENTRIES;
    const unsigned int* c = column + (long long)r * ENTRIES;
    double sum = 0.0;
    for (int k = 0; k < ENTRIES; ++k) {
        sum += v[k] * x[c[k]];
    }
    out[r] = sum;
}
