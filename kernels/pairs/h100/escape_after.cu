// escape_after: the same, 32 points to a lane one after another: every 16 steps lanes that are done take their next point.
extern "C" __global__ void __launch_bounds__(256) escape_after(unsigned* __restrict__ steps, const float2* __restrict__ point, unsigned count, unsigned limit)
{
    const unsigned warp = blockIdx.x * 8u + threadIdx.x / 32u, end = min((warp + 1u) * 1024u, count);
    unsigned i = warp * 1024u + threadIdx.x % 32u;
    if (i >= end) {
        return;
    }
    float2 c = point[i];
    float x = 0.0f, y = 0.0f;
    unsigned n = 0;
    bool inside = true;
    while (true) {
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
            inside = inside && !(__fadd_rn(xx, yy) > 4.0f);
            n += inside;
            y = __fmaf_rn(__fadd_rn(x, x), y, c.y);
            x = __fadd_rn(__fadd_rn(xx, -yy), c.x);
        }
        if (!inside || n >= limit) {
            steps[i] = min(n, limit);
            i += 32u;
            if (i >= end) {
                break;
            }
            c = point[i];
            x = y = 0.0f;
            n = 0;
            inside = true;
        }
    }
}
