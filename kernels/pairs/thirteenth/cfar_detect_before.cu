// cfar_detect_before: constant false alarm rate of a radar: each range cell over the mean of its training cells, two guard cells a side left out.
#define TRAIN 32
#define GUARD 2

extern "C" __global__ void __launch_bounds__(256) cfar_detect_before(float* __restrict__ out, const float* __restrict__ power, int cells)
{
    const int r = blockIdx.x * 256 + threadIdx.x;
    const float* line = power + (long long)blockIdx.y * cells;
    if (r >= cells) {
        return;
    }
    float sum = 0.0f;
    int used = 0;
    for (int d = -(TRAIN + GUARD); d <= TRAIN + GUARD; ++d) {
        const int c = r + d;
        if ((d < -GUARD || d > GUARD) && c >= 0 && c < cells) {
            sum += line[c];
            ++used;
        }
    }
    out[(long long)blockIdx.y * cells + r] = line[r] * used / sum;
}
