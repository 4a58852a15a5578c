// rope_after: the same, a thread to two rotations of all heads of a token: sine and cosine once.
#include <cuda_fp16.h>

__device__ __forceinline__ void turn(__half2& low, __half2& high, float2 c, float2 s)
{
    const float2 x = __half22float2(low), y = __half22float2(high);
    low = __floats2half2_rn(x.x * c.x - y.x * s.x, x.y * c.y - y.y * s.y);
    high = __floats2half2_rn(y.x * c.x + x.x * s.x, y.y * c.y + x.y * s.y);
}

// in and out: [tokens, heads, 128]; the two halves of a head are the two coordinates of 64 rotations.
extern "C" __global__ void __launch_bounds__(256) rope_after(__half2* __restrict__ out, const __half2* __restrict__ in,
                                                              const unsigned* __restrict__ position, int heads, float base)
{
    const unsigned index = blockIdx.x * 256u + threadIdx.x;
    const unsigned pair = index % 32u, token = index / 32u;
    const float p = static_cast<float>(position[token]);
    float2 c, s;
    sincosf(p * powf(base, -(2.0f * pair) / 64.0f), &s.x, &c.x);
    sincosf(p * powf(base, -(2.0f * pair + 1.0f) / 64.0f), &s.y, &c.y);
#pragma unroll 4
    for (int head = 0; head < heads; ++head) {
        const unsigned at = (token * heads + head) * 64u + pair;
        __half2 low = in[at], high = in[at + 32u];
        turn(low, high, c, s);
        out[at] = low;
        out[at + 32u] = high;
    }
}
