// rowscan_d: running sums of rows of 1,024, a block of 512 threads to a row, up and down a tree as Blelloch, a word of padding after 32.
__device__ __forceinline__ int place(int i) { return i + i / 32; }

extern "C" __global__ void __launch_bounds__(512) rowscan_d(float* __restrict__ out, const float* __restrict__ in)
{
    __shared__ float row[1056];
    const int t = threadIdx.x;
    const long long i = (long long)blockIdx.x * 1024 + t;
    const float a = in[i], b = in[i + 512];
    row[place(t)] = a;
    row[place(t + 512)] = b;
    int step = 1;
    for (int d = 512; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) {
            row[place(step * (2 * t + 2) - 1)] += row[place(step * (2 * t + 1) - 1)];
        }
        step *= 2;
    }
    if (t == 0) {
        row[place(1023)] = 0.0f;
    }
    for (int d = 1; d < 1024; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            const int low = place(step * (2 * t + 1) - 1), high = place(step * (2 * t + 2) - 1);
            const float v = row[low];
            row[low] = row[high];
            row[high] += v;
        }
    }
    __syncthreads();
    out[i] = row[place(t)] + a;
    out[i + 512] = row[place(t + 512)] + b;
}
