// median5_after: median of 5 x 5 pixels, a thread to a pixel, least and largest dropped by turns in registers.
__device__ __forceinline__ void order(float& a, float& b)
{
    const float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

extern "C" __global__ void __launch_bounds__(256) median5_after(float* out, const float* __restrict__ in, int width, int pitch, int size)
{
    const int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * 8 + threadIdx.x / 32;
    float value[25];
#pragma unroll
    for (int k = 0; k < 25; ++k) {
        value[k] = in[(y + k / 5) * pitch + x + k % 5];
    }
#pragma unroll
    for (int n = 14; n > 3; --n) {
#pragma unroll
        for (int k = 1; k < n; ++k) {
            order(value[0], value[k]);
        }
#pragma unroll
        for (int k = 1; k < n - 1; ++k) {
            order(value[k], value[n - 1]);
        }
        value[0] = value[28 - n];
    }
    out[y * width + x] = fmaxf(fminf(value[0], value[1]), fminf(fmaxf(value[0], value[1]), value[2]));
}
