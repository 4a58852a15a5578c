// ann_scores_before: inner products of queries with the vectors of a database, both in halves.
#include <cuda_fp16.h>

#define DEPTH 32

// Tiles of 64 x 64, four by four products a thread.
extern "C" __global__ void __launch_bounds__(256) ann_scores_before(float* __restrict__ out, const half* __restrict__ query, const half* __restrict__ base, int vectors, int depth)
{
    __shared__ float a[DEPTH][64 + 4];
    __shared__ float b[DEPTH][64 + 4];
    const int row = threadIdx.x / 4, eight = threadIdx.x % 4 * 8;
    const int tx = threadIdx.x % 16 * 4, ty = threadIdx.x / 16 * 4;
    const half* left = query + (long long)(blockIdx.y * 64 + row) * depth + eight;
    const half* right = base + (long long)(blockIdx.x * 64 + row) * depth + eight;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < depth; k0 += DEPTH) {
        const uint4 va = *(const uint4*)(left + k0), vb = *(const uint4*)(right + k0);
        const half* ha = (const half*)&va;
        const half* hb = (const half*)&vb;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            a[eight + k][row] = __half2float(ha[k]);
            b[eight + k][row] = __half2float(hb[k]);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            const float4 fa = *(const float4*)&a[k][ty], fb = *(const float4*)&b[k][tx];
            const float l[4] = {fa.x, fa.y, fa.z, fa.w}, r[4] = {fb.x, fb.y, fb.z, fb.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sum[i][j] += l[i] * r[j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        *(float4*)&out[(long long)(blockIdx.y * 64 + ty + i) * vectors + blockIdx.x * 64 + tx] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    }
}
