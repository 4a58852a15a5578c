// selective_scan_before: scan of a selective state space (Mamba), sixteen states to a channel, channels last.
#include <cuda_fp16.h>

#define STATES 16

// A thread to a channel, its sixteen states in registers.
extern "C" __global__ void __launch_bounds__(128) selective_scan_before(half* __restrict__ out, const half* __restrict__ in, const half* __restrict__ delta, const float* __restrict__ decay, const float4* __restrict__ input, const float4* __restrict__ output, int channels, int steps)
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
    for (int t = 0; t < steps; ++t) {
        const float x = __half2float(in[at]), d = __half2float(delta[at]);
        float y = 0.0f;
#pragma unroll
        for (int s = 0; s < STATES / 4; ++s) {
            const float4 bs = b[t * (STATES / 4) + s], os = o[t * (STATES / 4) + s];
            h[4 * s] = exp2f(d * a[4 * s]) * h[4 * s] + d * x * bs.x;
            h[4 * s + 1] = exp2f(d * a[4 * s + 1]) * h[4 * s + 1] + d * x * bs.y;
            h[4 * s + 2] = exp2f(d * a[4 * s + 2]) * h[4 * s + 2] + d * x * bs.z;
            h[4 * s + 3] = exp2f(d * a[4 * s + 3]) * h[4 * s + 3] + d * x * bs.w;
            y += h[4 * s] * os.x + h[4 * s + 1] * os.y + h[4 * s + 2] * os.z + h[4 * s + 3] * os.w;
        }
        out[at] = __float2half_rn(y);
        at += channels;
    }
}
