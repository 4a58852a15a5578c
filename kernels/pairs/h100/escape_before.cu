// escape_before: escape time of scattered points (Mandelbrot), a thread to a point.
extern "C" __global__ void __launch_bounds__(256) escape_before(unsigned* __restrict__ steps, const float2* __restrict__ point, unsigned count, unsigned limit)
{
    const unsigned i = blockIdx.x * 256u + threadIdx.x;
    if (i >= count) {
        return;
    }
    const float2 c = point[i];
    float x = 0.0f, y = 0.0f;
    unsigned n = 0;
#pragma unroll 4
    for (; n < limit; ++n) {
        const float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
        if (__fadd_rn(xx, yy) > 4.0f) {
            break;
        }
        y = __fmaf_rn(__fadd_rn(x, x), y, c.y);
        x = __fadd_rn(__fadd_rn(xx, -yy), c.x);
    }
    steps[i] = n;
}
