// maps_a_lines: a layer of convolution, batch × maps, a thread to an output, blocks of 32 × 8 outputs of one map.
extern "C" __global__ void __launch_bounds__(256) maps_a_lines(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight, int maps, int channels, int height, int width, int k)
{
    const int high = height - k + 1, wide = width - k + 1;
    const int tiles = (wide + 31) / 32;
    const int y = (blockIdx.x / tiles) * 8 + threadIdx.y, x = (blockIdx.x % tiles) * 32 + threadIdx.x;
    const int m = blockIdx.y, b = blockIdx.z;
    if (y >= high || x >= wide) {
        return;
    }
    float sum = 0.0f;
    for (int c = 0; c < channels; ++c) {
        for (int p = 0; p < k; ++p) {
            for (int q = 0; q < k; ++q) {
                sum += in[((b * channels + c) * height + y + p) * width + x + q] * weight[((m * channels + c) * k + p) * k + q];
            }
        }
    }
    out[((b * maps + m) * high + y) * wide + x] = sum;
}
