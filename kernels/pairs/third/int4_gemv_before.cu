// int4_gemv_before: y = W x with weights of four bits, a scale to 128 of them, four rows to a warp, integers converted one by one.
// A word has the weights k = 0, 1, 2, 3 of its eight in the nibbles 0 to 3 and k = 4 to 7 in 4 to 7; x has pairs (k, k + 4) beside each other.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) int4_gemv_before(float* y, const unsigned* __restrict__ weight, const float* __restrict__ scale, const uint4* __restrict__ x, int words)
{
    const int lane = threadIdx.x & 31, row = (blockIdx.x * 8 + threadIdx.x / 32) * 4;
    float sum[4] = {};
#pragma unroll 2
    for (int at = lane; at < words; at += 32) {
        const uint4 xs = x[at];
        const unsigned pairs[4] = {xs.x, xs.y, xs.z, xs.w};
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const unsigned word = weight[(long long)(row + r) * words + at];
            __half2 part = __float2half2_rn(0.0f);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
            const __half2 q = __halves2half2(__int2half_rn((int)(word >> i * 4 & 15) - 8), __int2half_rn((int)(word >> (i * 4 + 16) & 15) - 8));
                part = __hfma2(q, *reinterpret_cast<const __half2*>(&pairs[i]), part);
            }
            sum[r] += scale[(row + r) * (words / 16) + at / 16] * (__low2float(part) + __high2float(part));
        }
    }
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        for (int d = 16; d > 0; d /= 2) {
            sum[r] += __shfl_xor_sync(~0u, sum[r], d);
        }
        if (lane == 0) {
            y[row + r] = sum[r];
        }
    }
}
