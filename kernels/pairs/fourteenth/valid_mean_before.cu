// valid_mean_before: means of stations over the hours whose value is valid.
extern "C" __global__ void __launch_bounds__(256) valid_mean_before(float* __restrict__ out, const float* __restrict__ value, const unsigned char* __restrict__ valid, int stations, int hours)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= stations) {
        return;
    }
    float sum = 0.0f;
    int used = 0;
    for (int h = 0; h < hours; ++h) {
        if (valid[h * stations + s] < 128) {
            sum += value[h * stations + s];
            ++used;
        }
    }
    out[s] = used > 0 ? sum / used : 0.0f;
}
