// sampled_products_before: products of rows of two matrices of 64 columns at the places of a sparse matrix, a block to a place.
extern "C" __global__ void __launch_bounds__(64) sampled_products_before(float* out, const unsigned* __restrict__ row, const unsigned* __restrict__ column, const float* __restrict__ a, const float* __restrict__ b)
{
    __shared__ float part[64];
    const int t = threadIdx.x;
    part[t] = a[row[blockIdx.x] * 64 + t] * b[column[blockIdx.x] * 64 + t];
    __syncthreads();
    for (int d = 32; d; d /= 2) {
        if (t < d) {
            part[t] += part[t + d];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = part[0];
    }
}
