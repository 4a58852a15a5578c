// unmix_after: parts of materials in the pixels of a spectral image.
#define BANDS 24
#define PARTS 6

extern "C" __global__ void __launch_bounds__(256) unmix_after(float* __restrict__ out, const float* __restrict__ band, const float* __restrict__ inverse, int pixels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) {
        return;
    }
#pragma unroll
    for (int p = 0; p < PARTS; ++p) {
        float sum = 0.0f;
#pragma unroll
        for (int b = 0; b < BANDS; ++b) {
            sum += inverse[p * BANDS + b] * band[b * pixels + i];
        }
        out[p * pixels + i] = sum;
    }
}
