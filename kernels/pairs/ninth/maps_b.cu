// maps_b: a layer of convolution, batch × maps, a thread to an output, the input under a block of 16 × 16 outputs in shared memory.
constexpr int Side = 16, Most = 7, Deep = 4;

extern "C" __global__ void __launch_bounds__(256) maps_b(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight, int maps, int channels, int height, int width, int k)
{
    __shared__ float tile[Deep][Side + Most - 1][Side + Most - 1];
    const int high = height - k + 1, wide = width - k + 1;
    const int tiles = (wide + Side - 1) / Side;
    const int y0 = (blockIdx.x / tiles) * Side, x0 = (blockIdx.x % tiles) * Side;
    const int m = blockIdx.y, b = blockIdx.z;
    const int edge = Side + k - 1;
    for (int c = 0; c < channels; ++c) {
        for (int p = threadIdx.y; p < edge; p += Side) {
            for (int q = threadIdx.x; q < edge; q += Side) {
                const int y = y0 + p, x = x0 + q;
                tile[c][p][q] = y < height && x < width ? in[((b * channels + c) * height + y) * width + x] : 0.0f;
            }
        }
    }
    __syncthreads();
    const int y = y0 + threadIdx.y, x = x0 + threadIdx.x;
    if (y >= high || x >= wide) {
        return;
    }
    float sum = 0.0f;
    for (int c = 0; c < channels; ++c) {
        for (int p = 0; p < k; ++p) {
            for (int q = 0; q < k; ++q) {
                sum += tile[c][threadIdx.y + p][threadIdx.x + q] * weight[((m * channels + c) * k + p) * k + q];
            }
        }
    }
    out[((b * maps + m) * high + y) * wide + x] = sum;
}
