// maps_d: a layer of convolution, batch × maps, a thread to eight maps of an output, input and weights in shared memory.
constexpr int Side = 16, K = 7, Deep = 4, Edge = Side + K - 1, Maps = 8;

extern "C" __global__ void __launch_bounds__(256, 4) maps_d(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight, int maps, int channels, int height, int width, int k)
{
    __shared__ float tile[Deep][Edge][Edge];
    __shared__ alignas(16) float kept[Deep * K * K][Maps];
    const int high = height - K + 1, wide = width - K + 1;
    const int tiles = (wide + Side - 1) / Side;
    const int y0 = (blockIdx.x / tiles) * Side, x0 = (blockIdx.x % tiles) * Side;
    const int m0 = blockIdx.y * Maps, b = blockIdx.z;
    for (int c = 0; c < channels; ++c) {
        for (int p = threadIdx.y; p < Edge; p += Side) {
            for (int q = threadIdx.x; q < Edge; q += Side) {
                const int y = y0 + p, x = x0 + q;
                tile[c][p][q] = y < height && x < width ? in[((b * channels + c) * height + y) * width + x] : 0.0f;
            }
        }
    }
    const int taps = channels * K * K;
    for (int i = threadIdx.y * Side + threadIdx.x; i < Maps * taps; i += Side * Side) {
        kept[i / Maps][i % Maps] = weight[(m0 + i % Maps) * taps + i / Maps];
    }
    __syncthreads();
    const int y = y0 + threadIdx.y, x = x0 + threadIdx.x;
    if (y >= high || x >= wide) {
        return;
    }
    float sum[Maps] = {};
    for (int c = 0; c < channels; ++c) {
#pragma unroll
        for (int p = 0; p < K; ++p) {
#pragma unroll
            for (int q = 0; q < K; ++q) {
                const float v = tile[c][threadIdx.y + p][threadIdx.x + q];
                const float4* const w = reinterpret_cast<const float4*>(kept[(c * K + p) * K + q]);
                const float4 lo = w[0], hi = w[1];
                sum[0] += v * lo.x;
                sum[1] += v * lo.y;
                sum[2] += v * lo.z;
                sum[3] += v * lo.w;
                sum[4] += v * hi.x;
                sum[5] += v * hi.y;
                sum[6] += v * hi.z;
                sum[7] += v * hi.w;
            }
        }
    }
#pragma unroll
    for (int m = 0; m < Maps; ++m) {
        out[((b * maps + m0 + m) * high + y) * wide + x] = sum[m];
    }
}
