// valid_mean_dealt_4: means of stations over the hours whose value is valid, the hours dealt in turn to four threads.
extern "C" __global__ void __launch_bounds__(256) valid_mean_dealt_4(float* __restrict__ out, const float* __restrict__ value, const unsigned char* __restrict__ valid, int stations, int hours)
{
    __shared__ float sums[256];
    __shared__ int counts[256];
    const int t = threadIdx.x % 64, own = threadIdx.x / 64, s = blockIdx.x * 64 + t;
    float sum = 0.0f;
    int used = 0;
    for (int h = own; h < hours; h += 4) {
        if (valid[h * stations + s] < 128) {
            sum += value[h * stations + s];
            ++used;
        }
    }
    sums[threadIdx.x] = sum;
    counts[threadIdx.x] = used;
    __syncthreads();
    if (own == 0) {
        for (int i = 1; i < 4; ++i) {
            sum += sums[t + i * 64];
            used += counts[t + i * 64];
        }
        out[s] = used > 0 ? sum / used : 0.0f;
    }
}
