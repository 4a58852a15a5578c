// ssm_scan_after: the same recurrence, the values of eight steps loaded before the first state of them is stored.
extern "C" __global__ void __launch_bounds__(128) ssm_scan_after(float* state, const float* decay, const float* input, int channels, int steps)
{
    const int channel = blockIdx.x * 128 + threadIdx.x;
    float h = 0.0f;
    long long at = channel;
    for (int s = 0; s < steps; s += 8) {
        float a[8], b[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            a[k] = decay[at + (long long)k * channels];
            b[k] = input[at + (long long)k * channels];
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            h = a[k] * h + b[k];
            state[at] = h;
            at += channels;
        }
    }
}
