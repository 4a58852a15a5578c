// selective_scan_ahead_8: scan of a selective state space, a thread to a channel; x and delta loaded eight steps ahead, B and C one step ahead, in registers.
#include <cuda_fp16.h>

#define STATES 16
#define AHEAD 8

// No __restrict__: a load of a later step shall stay before the store of this one. A thread to a channel, its sixteen states in registers.
extern "C" __global__ void __launch_bounds__(128) selective_scan_ahead_8(half* out, const half* in, const half* delta, const float* decay, const float4* input, const float4* output, int channels, int steps)
{
    const int c = blockIdx.x * 128 + threadIdx.x;
    float a[STATES], h[STATES];
#pragma unroll
    for (int s = 0; s < STATES; ++s) {
        a[s] = decay[c * STATES + s] * -1.44269504f;
        h[s] = 0.0f;
    }
    long long at = (long long)blockIdx.y * steps * channels + c;
    const float4* b = input + (long long)blockIdx.y * steps * (STATES / 4);
    const float4* o = output + (long long)blockIdx.y * steps * (STATES / 4);
    half xs[AHEAD], ds[AHEAD];
    float4 bs[2][STATES / 4], os[2][STATES / 4];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
        xs[k] = in[at + k * channels];
        ds[k] = delta[at + k * channels];
    }
#pragma unroll
    for (int s = 0; s < STATES / 4; ++s) {
        bs[0][s] = b[s];
        os[0][s] = o[s];
    }
    // Steps are a multiple of AHEAD; the last loads repeat the last steps.
    for (int t = 0; t < steps; t += AHEAD) {
        const long long next = t + AHEAD < steps ? at + AHEAD * channels : at;
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            const int now = k % 2, then = min(t + k + 1, steps - 1);
#pragma unroll
            for (int s = 0; s < STATES / 4; ++s) {
                bs[1 - now][s] = b[then * (STATES / 4) + s];
                os[1 - now][s] = o[then * (STATES / 4) + s];
            }
            const float x = __half2float(xs[k]), d = __half2float(ds[k]);
            xs[k] = in[next + k * channels];
            ds[k] = delta[next + k * channels];
            float y = 0.0f;
#pragma unroll
            for (int s = 0; s < STATES / 4; ++s) {
                const float4 bv = bs[now][s], ov = os[now][s];
                h[4 * s] = exp2f(d * a[4 * s]) * h[4 * s] + d * x * bv.x;
                h[4 * s + 1] = exp2f(d * a[4 * s + 1]) * h[4 * s + 1] + d * x * bv.y;
                h[4 * s + 2] = exp2f(d * a[4 * s + 2]) * h[4 * s + 2] + d * x * bv.z;
                h[4 * s + 3] = exp2f(d * a[4 * s + 3]) * h[4 * s + 3] + d * x * bv.w;
                y += h[4 * s] * ov.x + h[4 * s + 1] * ov.y + h[4 * s + 2] * ov.z + h[4 * s + 3] * ov.w;
            }
            out[at + k * channels] = __float2half_rn(y);
        }
        at += AHEAD * channels;
    }
}
