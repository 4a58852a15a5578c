// escape_refill_16: escape time of scattered points, 1,024 points to a warp: every 16 steps lanes that are done take its next ones, in step with the others.
extern "C" __global__ void __launch_bounds__(256) escape_refill_16(unsigned* __restrict__ steps, const float2* __restrict__ point, unsigned count, unsigned limit)
{
    const unsigned lane = threadIdx.x % 32u, first = (blockIdx.x * 8u + threadIdx.x / 32u) * 1024u, end = min(first + 1024u, count);
    unsigned i = first + lane, next = first + 32u, n = 0;
    bool busy = i < end, inside = true;
    float2 c = point[min(i, count - 1u)];
    float x = 0.0f, y = 0.0f;
    while (__any_sync(0xffffffffu, busy)) {
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
            inside = inside && !(__fadd_rn(xx, yy) > 4.0f);
            n += inside;
            y = __fmaf_rn(__fadd_rn(x, x), y, c.y);
            x = __fadd_rn(__fadd_rn(xx, -yy), c.x);
        }
        const bool done = busy && (!inside || n >= limit);
        const unsigned all = __ballot_sync(0xffffffffu, done);
        if (done) {
            steps[i] = min(n, limit);
            i = next + __popc(all & ((1u << lane) - 1u));
            busy = i < end;
            if (busy) {
                c = point[i];
                x = y = 0.0f;
                n = 0;
                inside = true;
            }
        }
        next += __popc(all);
    }
}
