// rowscan_a: running sums of rows of 1,024, a block to a row, as Hillis and Steele, in place with two barriers a step.
extern "C" __global__ void __launch_bounds__(1024) rowscan_a(float* __restrict__ out, const float* __restrict__ in)
{
    __shared__ float row[1024];
    const int t = threadIdx.x;
    const long long i = (long long)blockIdx.x * 1024 + t;
    row[t] = in[i];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        const float before = t >= d ? row[t - d] : 0.0f;
        __syncthreads();
        row[t] += before;
        __syncthreads();
    }
    out[i] = row[t];
}
