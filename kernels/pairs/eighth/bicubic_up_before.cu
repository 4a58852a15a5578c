// bicubic_up_before: planes enlarged by a factor that is no whole number, 4 x 4 cubic weights, a thread to a pixel of a plane.
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

__device__ __forceinline__ float pixel(const float* __restrict__ plane, int width, int height, int x, int y)
{
    return plane[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

extern "C" __global__ void __launch_bounds__(256) bicubic_up_before(float* __restrict__ out, const float* __restrict__ in, int planes, int width, int height, int wide, int high)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, plane = blockIdx.z;
    if (x >= wide || y >= high) {
        return;
    }
    const float fx = (x + 0.5f) * ((float)width / wide) - 0.5f, fy = (y + 0.5f) * ((float)height / high) - 0.5f;
    const int left = (int)floorf(fx), top = (int)floorf(fy);
    const Cubic across(fx - left), down(fy - top);
    const float* from = in + (long long)plane * width * height;
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        float row = 0.0f;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            row += across.weight[i] * pixel(from, width, height, left - 1 + i, top - 1 + j);
        }
        sum += down.weight[j] * row;
    }
    out[((long long)plane * high + y) * wide + x] = sum;
}
