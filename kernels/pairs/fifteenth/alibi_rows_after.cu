// alibi_rows_after: weights of attention over 512 keys with linear biases by distance.
#include <cuda_fp16.h>

#define KEYS 512

// A warp to a row, 16 keys a lane.
extern "C" __global__ void __launch_bounds__(256) alibi_rows_after(half* __restrict__ out, const half* __restrict__ score, float scale, int queries, int heads)
{
    const int q = blockIdx.x * 8 + threadIdx.x / 32, head = blockIdx.y, lane = threadIdx.x % 32;
    if (q >= queries) {
        return;
    }
    const float slope = exp2f(-8.0f * (head + 1) / heads);
    const long long row = ((long long)head * queries + q) * KEYS;
    float v[16];
    float top = -INFINITY;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const int key = k * 64 + lane * 2;
        const float2 f = __half22float2(*(const half2*)(score + row + key));
        v[2 * k] = f.x * scale - slope * abs(q - key);
        v[2 * k + 1] = f.y * scale - slope * abs(q - key - 1);
        top = fmaxf(top, fmaxf(v[2 * k], v[2 * k + 1]));
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
    }
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        v[k] = __expf(v[k] - top);
        sum += v[k];
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    }
    const float part = 1.0f / sum;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        *(half2*)(out + row + k * 64 + lane * 2) = __floats2half2_rn(v[2 * k] * part, v[2 * k + 1] * part);
    }
}
