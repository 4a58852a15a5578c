// rowscan_c: running sums of rows of 1,024, a block of 512 threads to a row, up and down a tree as Blelloch.
extern "C" __global__ void __launch_bounds__(512) rowscan_c(float* __restrict__ out, const float* __restrict__ in)
{
    __shared__ float row[1024];
    const int t = threadIdx.x;
    const long long i = (long long)blockIdx.x * 1024 + t;
    const float a = in[i], b = in[i + 512];
    row[t] = a;
    row[t + 512] = b;
    int step = 1;
    for (int d = 512; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) {
            row[step * (2 * t + 2) - 1] += row[step * (2 * t + 1) - 1];
        }
        step *= 2;
    }
    if (t == 0) {
        row[1023] = 0.0f;
    }
    for (int d = 1; d < 1024; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            const int low = step * (2 * t + 1) - 1, high = step * (2 * t + 2) - 1;
            const float v = row[low];
            row[low] = row[high];
            row[high] += v;
        }
    }
    __syncthreads();
    out[i] = row[t] + a;
    out[i + 512] = row[t + 512] + b;
}
