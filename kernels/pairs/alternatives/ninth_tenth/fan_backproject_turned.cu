// fan_backproject_turned: image from the filtered views of a fan beam, a thread to a pixel, sine and cosine of each view without a conversion: the quarter
// of the turn by adding a large float.
__device__ __forceinline__ void turned(float x, float* s, float* c)
{
    const float large = 12582912.0f, shifted = fmaf(x, 0.636619772f, large), quarters = shifted - large;
    const int q = __float_as_int(shifted);
    float r = fmaf(quarters, -1.57079601e+00f, x);
    r = fmaf(quarters, -3.13916473e-07f, r);
    r = fmaf(quarters, -5.39030253e-15f, r);
    const float z = r * r;
    const float sine = fmaf(fmaf(fmaf(-1.95152959e-4f, z, 8.33216087e-3f), z, -1.66666546e-1f), z * r, r);
    const float cosine = fmaf(fmaf(fmaf(fmaf(2.44331571e-5f, z, -1.38873162e-3f), z, 4.16666456e-2f), z, -0.5f), z, 1.0f);
    const float a = q & 1 ? cosine : sine, b = q & 1 ? sine : cosine;
    *s = __int_as_float(__float_as_int(a) ^ (q & 2) << 30);
    *c = __int_as_float(__float_as_int(b) ^ (q + 1 & 2) << 30);
}

extern "C" __global__ void __launch_bounds__(256) fan_backproject_turned(float* __restrict__ out, const float* __restrict__ view, int size, int views, int cells, float step, float distance)
{
    const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    if (i >= size || j >= size) {
        return;
    }
    const float x = i - 0.5f * (size - 1), y = j - 0.5f * (size - 1), middle = 0.5f * (cells - 1);
    float sum = 0.0f, counted = 0.0f;
    for (int v = 0; v < views; ++v, counted += 1.0f) {
        float s, c;
        turned(counted * step, &s, &c);
        const float scale = __fdividef(distance, distance + x * s - y * c), place = scale * (x * c + y * s) + middle;
        const float below = floorf(place);
        const int cell = below;
        if (cell >= 0 && cell < cells - 1) {
            const float* row = view + v * cells + cell;
            sum += scale * scale * (row[0] + (place - below) * (row[1] - row[0]));
        }
    }
    out[j * size + i] = sum * step;
}
