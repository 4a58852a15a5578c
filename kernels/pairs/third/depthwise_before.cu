// depthwise_before: depthwise convolution 7 x 7 of planes of 64 x 64, padded with zeros, an output to a thread.
// in, out: [images * channels, 64, 64]; weight: [channels, 49].
constexpr int N = 1;

extern "C" __global__ void __launch_bounds__(256) depthwise_before(float* out, const float* __restrict__ in, const float* __restrict__ weight, int channels)
{
    const int x = threadIdx.x % 64, y = (blockIdx.x * 4 + threadIdx.x / 64) * N;
    const float* from = in + blockIdx.y * 4096;
    const float* w = weight + blockIdx.y % channels * 49;
    float sum[N] = {};
#pragma unroll
    for (int r = 0; r < N + 6; ++r) {
#pragma unroll
        for (int c = 0; c < 7; ++c) {
            const int yy = y + r - 3, xx = x + c - 3;
            const float v = yy >= 0 && yy < 64 && xx >= 0 && xx < 64 ? from[yy * 64 + xx] : 0.0f;
#pragma unroll
            for (int o = 0; o < N; ++o) {
                if (r - o >= 0 && r - o < 7) {
                    sum[o] += w[(r - o) * 7 + c] * v;
                }
            }
        }
    }
#pragma unroll
    for (int o = 0; o < N; ++o) {
        out[blockIdx.y * 4096 + (y + o) * 64 + x] = sum[o];
    }
}
