// bin_profile_before: profiles of events: weights of each detector cell, summed over the frames of a run, cell by cell.
extern "C" __global__ void __launch_bounds__(256) bin_profile_before(float* out, const float* frame, const float* weight, int cells, int frames, int bins)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells) {
        return;
    }
    for (int b = 0; b < bins; ++b) {
        out[b * cells + c] = 0.0f;
    }
    for (int f = 0; f < frames; ++f) {
        for (int b = 0; b < bins; ++b) {
            out[b * cells + c] += weight[f * bins + b] * frame[f * cells + c];
        }
    }
}
