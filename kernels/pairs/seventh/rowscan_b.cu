// rowscan_b: running sums of rows of 1,024, a block to a row, as Hillis and Steele, between two arrays with one barrier a step.
extern "C" __global__ void __launch_bounds__(1024) rowscan_b(float* __restrict__ out, const float* __restrict__ in)
{
    __shared__ float row[2][1024];
    const int t = threadIdx.x;
    const long long i = (long long)blockIdx.x * 1024 + t;
    int from = 0;
    row[0][t] = in[i];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        row[1 - from][t] = row[from][t] + (t >= d ? row[from][t - d] : 0.0f);
        from = 1 - from;
        __syncthreads();
    }
    out[i] = row[from][t];
}
