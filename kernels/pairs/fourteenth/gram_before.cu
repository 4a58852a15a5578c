// gram_before: products of all pairs of rows.
#define DEEP 16

// 64 x 64 results to a block, 4 x 4 to a thread.
extern "C" __global__ void __launch_bounds__(256) gram_before(float* __restrict__ out, const float* __restrict__ x, int rows, int depth)
{
    __shared__ float a[DEEP][68], b[DEEP][68];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, left = blockIdx.x * 64, top = blockIdx.y * 64;
    float sum[4][4] = {};
    for (int k = 0; k < depth; k += DEEP) {
        for (int i = threadIdx.x; i < 64 * DEEP; i += 256) {
            a[i % DEEP][i / DEEP] = x[(long long)(top + i / DEEP) * depth + k + i % DEEP];
            b[i % DEEP][i / DEEP] = x[(long long)(left + i / DEEP) * depth + k + i % DEEP];
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEEP; ++d) {
            const float4 u = *(const float4*)&a[d][ty * 4], v = *(const float4*)&b[d][tx * 4];
            const float p[4] = {u.x, u.y, u.z, u.w}, q[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sum[i][j] += p[i] * q[j];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            out[(long long)(top + ty * 4 + i) * rows + left + tx * 4 + j] = sum[i][j];
        }
    }
}
