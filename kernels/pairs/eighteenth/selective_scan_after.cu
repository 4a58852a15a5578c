// selective_scan_after: scan of a selective state space (Mamba), sixteen states to a channel, channels last.
#include <cuda_fp16.h>

#define STATES 16

// Four lanes to a channel, four states each in registers.
extern "C" __global__ void __launch_bounds__(128) selective_scan_after(half* __restrict__ out, const half* __restrict__ in, const half* __restrict__ delta, const float* __restrict__ decay, const float4* __restrict__ input, const float4* __restrict__ output, int channels, int steps)
{
    const int c = blockIdx.x * 32 + threadIdx.x / 4, part = threadIdx.x % 4;
    float a[4], h[4];
#pragma unroll
    for (int s = 0; s < 4; ++s) {
        a[s] = decay[c * STATES + part * 4 + s] * -1.44269504f;
        h[s] = 0.0f;
    }
    long long at = (long long)blockIdx.y * steps * channels + c;
    const float4* b = input + (long long)blockIdx.y * steps * (STATES / 4) + part;
    const float4* o = output + (long long)blockIdx.y * steps * (STATES / 4) + part;
    for (int t = 0; t < steps; ++t) {
        const float x = __half2float(in[at]), d = __half2float(delta[at]);
        const float4 bs = b[t * (STATES / 4)], os = o[t * (STATES / 4)];
        h[0] = exp2f(d * a[0]) * h[0] + d * x * bs.x;
        h[1] = exp2f(d * a[1]) * h[1] + d * x * bs.y;
        h[2] = exp2f(d * a[2]) * h[2] + d * x * bs.z;
        h[3] = exp2f(d * a[3]) * h[3] + d * x * bs.w;
        float y = h[0] * os.x + h[1] * os.y + h[2] * os.z + h[3] * os.w;
        y += __shfl_xor_sync(0xffffffffu, y, 1);
        y += __shfl_xor_sync(0xffffffffu, y, 2);
        if (part == 0) {
            out[at] = __float2half_rn(y);
        }
        at += channels;
    }
}
