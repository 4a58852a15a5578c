// pool_bwd_after: gradient of the largest of 3 x 3 with steps of two, a thread to a quad of inputs, which looks through the four windows.
struct Planes {
    int width, height;
    __device__ __forceinline__ long long at(int plane, int y, int x) const { return ((long long)plane * height + y) * width + x; }
};

extern "C" __global__ void __launch_bounds__(256) pool_bwd_after(float* __restrict__ back, const float* __restrict__ gradient, const unsigned* __restrict__ which, int planes, int width, int height, int wide, int high)
{
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x > wide || y > high) {
        return;
    }
    const Planes in{width, height}, out{wide, high};
    for (int plane = blockIdx.z; plane < planes; plane += gridDim.z) {
        float sum[2][2] = {};
#pragma unroll
        for (int v = 0; v < 2; ++v) {
#pragma unroll
            for (int u = 0; u < 2; ++u) {
                if (y - v < 0 || y - v >= high || x - u < 0 || x - u >= wide) {
                    continue;
                }
                const long long at = out.at(plane, y - v, x - u);
                const unsigned w = which[at];
                const float g = gradient[at];
#pragma unroll
                for (int j = 0; j + 2 * v < 3 && j < 2; ++j) {
#pragma unroll
                    for (int i = 0; i + 2 * u < 3 && i < 2; ++i) {
                        sum[j][i] += w == (unsigned)((j + 2 * v) * 3 + i + 2 * u) ? g : 0.0f;
                    }
                }
            }
        }
#pragma unroll
        for (int j = 0; j < 2; ++j) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                if (2 * y + j < height && 2 * x + i < width) {
                    back[in.at(plane, 2 * y + j, 2 * x + i)] = sum[j][i];
                }
            }
        }
    }
}
