#pragma once
// A product in FP32, tiles of 64 x 64 x 16 by cp.async and 4 x 4 outputs a thread: two stages, then four.
template <int STAGES> __device__ __forceinline__ void product_fp32(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ __align__(16) float sa[STAGES][64][20], sb[STAGES][16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, steps = n / 16;
    auto load = [&](int k) {
        if (k < steps) {
            copy16(shared_address(&sa[k % STAGES][t / 4][t % 4 * 4]), a + (size_t)(blockIdx.y * 64 + t / 4) * n + k * 16 + t % 4 * 4);
            copy16(shared_address(&sb[k % STAGES][ty][tx * 4]), b + (size_t)(k * 16 + ty) * n + blockIdx.x * 64 + tx * 4);
        }
        commit();
    };
    float acc[4][4] = {};
    for (int s = 0; s < STAGES - 1; s++) load(s);
    for (int k = 0; k < steps; k++) {
        arrived<STAGES - 2>();
        __syncthreads();
        load(k + STAGES - 1);
#pragma unroll
        for (int e = 0; e < 16; e++) {
            float4 v = *(const float4*)&sb[k % STAGES][e][tx * 4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float u = sa[k % STAGES][ty * 4 + i][e];
                acc[i][0] += u * v.x; acc[i][1] += u * v.y; acc[i][2] += u * v.z; acc[i][3] += u * v.w;
            }
        }
    }
    for (int i = 0; i < 4; i++) *(float4*)&c[(size_t)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
__global__ void __launch_bounds__(256) fp32_two_stages(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) { product_fp32<2>(a, b, c, n); }
__global__ void __launch_bounds__(256) fp32_four_stages(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) { product_fp32<4>(a, b, c, n); }
