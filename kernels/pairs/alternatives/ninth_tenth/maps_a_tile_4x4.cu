// maps_a_tile_4x4: a layer of convolution, batch × maps, a thread to four outputs side by side of four maps, input and weights in shared memory.
constexpr int Wide = 80, High = 8, K = 7, Deep = 4, Pitch = 88, Maps = 4, Across = 4, Threads = Wide / Across * High;

extern "C" __global__ void __launch_bounds__(Threads) maps_a_tile_4x4(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight, int maps, int channels, int height, int width, int k)
{
    __shared__ alignas(16) float tile[Deep][High + K - 1][Pitch];
    __shared__ alignas(16) float kept[Deep * K * K][Maps];
    const int high = height - K + 1, wide = width - K + 1;
    const int tiles = (wide + Wide - 1) / Wide;
    const int y0 = (blockIdx.x / tiles) * High, x0 = (blockIdx.x % tiles) * Wide;
    const int m0 = blockIdx.y * Maps, b = blockIdx.z;
    const int t = threadIdx.y * (Wide / Across) + threadIdx.x;
    for (int c = 0; c < channels; ++c) {
        for (int i = t; i < (High + K - 1) * Pitch; i += Threads) {
            const int y = y0 + i / Pitch, x = x0 + i % Pitch;
            tile[c][i / Pitch][i % Pitch] = y < height && x < width ? in[((b * channels + c) * height + y) * width + x] : 0.0f;
        }
    }
    const int taps = channels * K * K;
    for (int i = t; i < Maps * taps; i += Threads) {
        kept[i / Maps][i % Maps] = weight[(m0 + i % Maps) * taps + i / Maps];
    }
    __syncthreads();
    const int y = y0 + threadIdx.y, x = x0 + threadIdx.x * Across;
    if (y >= high || x >= wide) {
        return;
    }
    float sum[Maps][Across] = {};
    for (int c = 0; c < channels; ++c) {
#pragma unroll
        for (int p = 0; p < K; ++p) {
            float row[Across + K - 1];
#pragma unroll
            for (int i = 0; i < Across + K - 1; ++i) {
                row[i] = tile[c][threadIdx.y + p][threadIdx.x * Across + i];
            }
#pragma unroll
            for (int q = 0; q < K; ++q) {
#pragma unroll
                for (int m = 0; m < Maps; ++m) {
                    const float w = kept[(c * K + p) * K + q][m];
#pragma unroll
                    for (int i = 0; i < Across; ++i) {
                        sum[m][i] += row[q + i] * w;
                    }
                }
            }
        }
    }
#pragma unroll
    for (int m = 0; m < Maps; ++m) {
        float* const to = out + ((b * maps + m0 + m) * high + y) * wide + x;
#pragma unroll
        for (int i = 0; i < Across; ++i) {
            if (x + i < wide) {
                to[i] = sum[m][i];
            }
        }
    }
}
