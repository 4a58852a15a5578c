// ssm_scan_split: linear recurrence over time (state space model), 32 parts of the time side by side: each goes through its steps for what
// they leave of a state and add to it, then again from the state before them.
#define PARTS 32
extern "C" __global__ void __launch_bounds__(1024) ssm_scan_split(float* __restrict__ state, const float* __restrict__ decay, const float* __restrict__ input, int channels, int steps)
{
    __shared__ float left[PARTS][33], added[PARTS][33];
    const int lane = threadIdx.x % 32, part = threadIdx.x / 32, own = steps / PARTS;
    const long long first = (long long)part * own * channels + blockIdx.x * 32 + lane;
    float p = 1.0f, h = 0.0f;
#pragma unroll 8
    for (int s = 0; s < own; ++s) {
        const float a = decay[first + (long long)s * channels];
        p *= a;
        h = a * h + input[first + (long long)s * channels];
    }
    left[part][lane] = p;
    added[part][lane] = h;
    __syncthreads();
    h = 0.0f;
    for (int q = 0; q < part; ++q) {
        h = left[q][lane] * h + added[q][lane];
    }
#pragma unroll 8
    for (int s = 0; s < own; ++s) {
        const long long at = first + (long long)s * channels;
        h = decay[at] * h + input[at];
        state[at] = h;
    }
}
