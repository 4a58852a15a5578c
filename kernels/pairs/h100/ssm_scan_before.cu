// ssm_scan_before: linear recurrence over time (state space model), a thread to a channel, all pointers may alias.
extern "C" __global__ void __launch_bounds__(128) ssm_scan_before(float* state, const float* decay, const float* input, int channels, int steps)
{
    const int channel = blockIdx.x * 128 + threadIdx.x;
    float h = 0.0f;
    long long at = channel;
    for (int s = 0; s < steps; ++s) {
        h = decay[at] * h + input[at];
        state[at] = h;
        at += channels;
    }
}
