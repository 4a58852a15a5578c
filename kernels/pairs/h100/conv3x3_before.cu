// conv3x3_before: 3 x 3 convolution of an image with edges clamped, a thread to a pixel, neighbours from global memory.
__global__ void __launch_bounds__(256) conv3x3_before(float* out, const float* __restrict__ in, const float* __restrict__ weight, int width,
                                                      int height)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0.0f;
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy) {
        const int row = min(max(y + dy, 0), height - 1);
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx) {
            sum += weight[dy * 3 + dx + 4] * in[(long long)row * width + min(max(x + dx, 0), width - 1)];
        }
    }
    out[(long long)y * width + x] = sum;
}
