// valid_mean_split_2: means of stations over the hours whose value is valid, the hours split between two threads.
extern "C" __global__ void __launch_bounds__(256) valid_mean_split_2(float* __restrict__ out, const float* __restrict__ value, const unsigned char* __restrict__ valid, int stations, int hours)
{
    __shared__ float sums[128];
    __shared__ int counts[128];
    const int t = threadIdx.x % 128, own = threadIdx.x / 128, s = blockIdx.x * 128 + t;
    float sum = 0.0f;
    int used = 0;
    for (int h = own * (hours / 2); h < (own + 1) * (hours / 2); ++h) {
        if (valid[h * stations + s] < 128) {
            sum += value[h * stations + s];
            ++used;
        }
    }
    if (own == 1) {
        sums[t] = sum;
        counts[t] = used;
    }
    __syncthreads();
    if (own == 0) {
        sum += sums[t];
        used += counts[t];
        out[s] = used > 0 ? sum / used : 0.0f;
    }
}
