// maps_c: a layer of convolution, batch × maps, a thread to an output, the input in shared memory, windows of 7 × 7 known when compiled.
constexpr int Side = 16, K = 7, Deep = 4, Edge = Side + K - 1;

extern "C" __global__ void __launch_bounds__(256) maps_c(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight, int maps, int channels, int height, int width, int k)
{
    __shared__ float tile[Deep][Edge][Edge];
    const int high = height - K + 1, wide = width - K + 1;
    const int tiles = (wide + Side - 1) / Side;
    const int y0 = (blockIdx.x / tiles) * Side, x0 = (blockIdx.x % tiles) * Side;
    const int m = blockIdx.y, b = blockIdx.z;
    for (int c = 0; c < channels; ++c) {
        for (int p = threadIdx.y; p < Edge; p += Side) {
            for (int q = threadIdx.x; q < Edge; q += Side) {
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
        const float* const w = weight + (m * channels + c) * K * K;
#pragma unroll
        for (int p = 0; p < K; ++p) {
#pragma unroll
            for (int q = 0; q < K; ++q) {
                sum += tile[c][threadIdx.y + p][threadIdx.x + q] * w[p * K + q];
            }
        }
    }
    out[((b * maps + m) * high + y) * wide + x] = sum;
}
