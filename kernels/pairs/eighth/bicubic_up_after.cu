// bicubic_up_after: planes enlarged by a factor that is no whole number, 4 x 4 cubic weights, a thread to a pixel of all planes, its
// weights and places worked out once.
struct Cubic {
    static constexpr float A = -0.75f;
    float weight[4];
    __device__ __forceinline__ explicit Cubic(float t)
    {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float x = fabsf(t + 1.0f - i);
            weight[i] = x <= 1.0f ? ((A + 2.0f) * x - (A + 3.0f)) * x * x + 1.0f : ((A * x - 5.0f * A) * x + 8.0f * A) * x - 4.0f * A;
        }
    }
};

extern "C" __global__ void __launch_bounds__(256) bicubic_up_after(float* __restrict__ out, const float* __restrict__ in, int planes, int width, int height, int wide, int high)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= wide || y >= high) {
        return;
    }
    const float fx = (x + 0.5f) * ((float)width / wide) - 0.5f, fy = (y + 0.5f) * ((float)height / high) - 0.5f;
    const int left = (int)floorf(fx), top = (int)floorf(fy);
    const Cubic across(fx - left), down(fy - top);
    int place[4][4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            place[j][i] = min(max(top - 1 + j, 0), height - 1) * width + min(max(left - 1 + i, 0), width - 1);
        }
    }
    for (int plane = 0; plane < planes; ++plane) {
        const float* from = in + (long long)plane * width * height;
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float row = 0.0f;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                row += across.weight[i] * from[place[j][i]];
            }
            sum += down.weight[j] * row;
        }
        out[((long long)plane * high + y) * wide + x] = sum;
    }
}
