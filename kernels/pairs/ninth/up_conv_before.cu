// up_conv_before: a transposed convolution, 4 × 4, stride 2, padding 1, a thread to an output.
extern "C" __global__ void __launch_bounds__(256) up_conv_before(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight, int from, int to, int high, int wide)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int o = blockIdx.z % to, b = blockIdx.z / to;
    if (x >= 2 * wide || y >= 2 * high) {
        return;
    }
    float sum = 0.0f;
    for (int c = 0; c < from; ++c) {
        const float* const plane = in + (b * from + c) * high * wide;
        const float* const w = weight + (c * to + o) * 16;
        for (int ky = 0; ky < 4; ++ky) {
            const int sy = y + 1 - ky;
            if (sy < 0 || sy % 2 != 0 || sy / 2 >= high) {
                continue;
            }
            for (int kx = 0; kx < 4; ++kx) {
                const int sx = x + 1 - kx;
                if (sx < 0 || sx % 2 != 0 || sx / 2 >= wide) {
                    continue;
                }
                sum += plane[sy / 2 * wide + sx / 2] * w[ky * 4 + kx];
            }
        }
    }
    out[((b * to + o) * 2 * high + y) * 2 * wide + x] = sum;
}
