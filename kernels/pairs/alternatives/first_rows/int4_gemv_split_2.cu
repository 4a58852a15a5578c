// int4_gemv_split_2: y = W x with weights of four bits, a scale to 128 of them, four rows to two warps that share their words.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) int4_gemv_split_2(float* y, const unsigned* __restrict__ weight, const float* __restrict__ scale, const uint4* __restrict__ x, int words)
{
    __shared__ float part[4][4];
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, row = (blockIdx.x * 4 + warp % 4) * 4, half = warp / 4;
    float sum[4] = {};
#pragma unroll 2
    for (int at = half * 32 + lane; at < words; at += 64) {
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
        if (lane == 0 && half == 1) {
            part[warp % 4][r] = sum[r];
        }
    }
    __syncthreads();
    if (lane < 4 && half == 0) {
        const float own = lane == 0 ? sum[0] : lane == 1 ? sum[1] : lane == 2 ? sum[2] : sum[3];
        y[row + lane] = own + part[warp][lane];
    }
}
