// ell_apply_after: a sparse matrix with 24 entries in each row, stored row after row, times a vector, in double precision.
#define ENTRIES 24

// A row to eight lanes.
extern "C" __global__ void __launch_bounds__(256) ell_apply_after(double* __restrict__ out, const double* __restrict__ value, const unsigned int* __restrict__ column, const double* __restrict__ x, int rows)
{
    const int r = (blockIdx.x * 256 + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (r >= rows) {
        return;
    }
    const double* v = value + (long long)r * ENTRIES;
    const unsigned int* c = column + (long long)r * ENTRIES;
    double sum = 0.0;
    for (int k = lane; k < ENTRIES; k += 8) {
        sum += v[k] * x[c[k]];
    }
    for (int d = 4; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    }
    if (lane == 0) {
        out[r] = sum;
    }
}
