// selective_scan_split: scan of a selective state space (Mamba), sixteen parts of the time side by side: each goes through its steps from
// nothing, then again from the states before them.
#include <cuda_fp16.h>

#define STATES 16
#define PARTS 16

extern "C" __global__ void __launch_bounds__(512) selective_scan_split(half* __restrict__ out, const half* __restrict__ in, const half* __restrict__ delta, const float* __restrict__ decay, const float4* __restrict__ input, const float4* __restrict__ output, int channels, int steps)
{
    __shared__ float added[PARTS][STATES][32], time[PARTS][32];
    const int lane = threadIdx.x % 32, part = threadIdx.x / 32, own = steps / PARTS, c = blockIdx.x * 32 + lane;
    float a[STATES], h[STATES];
#pragma unroll
    for (int s = 0; s < STATES; ++s) {
        a[s] = decay[c * STATES + s] * -1.44269504f;
        h[s] = 0.0f;
    }
    const long long first = (long long)blockIdx.y * steps + part * own;
    const float4* b = input + first * (STATES / 4);
    const float4* o = output + first * (STATES / 4);
    float sum = 0.0f;
    for (int t = 0; t < own; ++t) {
        const long long at = (first + t) * channels + c;
        const float x = __half2float(in[at]), d = __half2float(delta[at]);
        sum += d;
#pragma unroll
        for (int s = 0; s < STATES / 4; ++s) {
            const float4 bs = b[t * (STATES / 4) + s];
            h[4 * s] = exp2f(d * a[4 * s]) * h[4 * s] + d * x * bs.x;
            h[4 * s + 1] = exp2f(d * a[4 * s + 1]) * h[4 * s + 1] + d * x * bs.y;
            h[4 * s + 2] = exp2f(d * a[4 * s + 2]) * h[4 * s + 2] + d * x * bs.z;
            h[4 * s + 3] = exp2f(d * a[4 * s + 3]) * h[4 * s + 3] + d * x * bs.w;
        }
    }
    time[part][lane] = sum;
#pragma unroll
    for (int s = 0; s < STATES; ++s) {
        added[part][s][lane] = h[s];
        h[s] = 0.0f;
    }
    __syncthreads();
    for (int q = 0; q < part; ++q) {
        const float d = time[q][lane];
#pragma unroll
        for (int s = 0; s < STATES; ++s) {
            h[s] = exp2f(d * a[s]) * h[s] + added[q][s][lane];
        }
    }
    for (int t = 0; t < own; ++t) {
        const long long at = (first + t) * channels + c;
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
    }
}
