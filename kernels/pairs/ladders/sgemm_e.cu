// sgemm_e: C = A · B, 128 × 128 tiles, 8 deep; a thread 8 × 8 elements.
extern "C" __global__ void __launch_bounds__(256) sgemm_e(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n)
{
    __shared__ float as[128 * 8];
    __shared__ float bs[8 * 128];
    const int tid = threadIdx.x;
    const int tx = tid % 16, ty = tid / 16;
    const int a_row = tid / 8, a_col = tid % 8;
    const int b_row = tid / 128, b_col = tid % 128;
    const float* pa = a + blockIdx.y * 128 * n;
    const float* pb = b + blockIdx.x * 128;
    float sum[8][8] = {};
    for (int t = 0; t < n; t += 8) {
#pragma unroll
        for (int r = 0; r < 128; r += 32) {
            as[(a_row + r) * 8 + a_col] = pa[(a_row + r) * n + t + a_col];
        }
#pragma unroll
        for (int r = 0; r < 8; r += 2) {
            bs[(b_row + r) * 128 + b_col] = pb[(t + b_row + r) * n + b_col];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float u[8], v[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                u[i] = as[(ty * 8 + i) * 8 + k];
            }
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                v[j] = bs[k * 128 + tx * 8 + j];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sum[i][j] += u[i] * v[j];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            c[(blockIdx.y * 128 + ty * 8 + i) * n + blockIdx.x * 128 + tx * 8 + j] = sum[i][j];
        }
    }
}
