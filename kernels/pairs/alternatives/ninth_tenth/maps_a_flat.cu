// maps_a_flat: a layer of convolution, batch × maps, a thread to an output, lanes along the rows of the output, rows one after another.
extern "C" __global__ void __launch_bounds__(256) maps_a_flat(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight, int maps, int channels, int height, int width, int k)
{
    const int high = height - k + 1, wide = width - k + 1;
    const int t = blockIdx.x * 256 + threadIdx.x, y = t / wide, x = t % wide;
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
