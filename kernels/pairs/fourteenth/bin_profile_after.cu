// bin_profile_after: profiles of events: weights of each detector cell, summed over the frames of a run, cell by cell.
#define BINS 8

extern "C" __global__ void __launch_bounds__(256) bin_profile_after(float* __restrict__ out, const float* __restrict__ frame, const float* __restrict__ weight, int cells, int frames, int)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells) {
        return;
    }
    float sum[BINS] = {};
    for (int f = 0; f < frames; ++f) {
        const float v = frame[f * cells + c];
#pragma unroll
        for (int b = 0; b < BINS; ++b) {
            sum[b] += weight[f * BINS + b] * v;
        }
    }
#pragma unroll
    for (int b = 0; b < BINS; ++b) {
        out[b * cells + c] = sum[b];
    }
}
