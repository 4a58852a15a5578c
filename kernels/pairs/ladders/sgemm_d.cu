// sgemm_d: C = A · B, 64 × 64 tiles, 8 deep; a thread a column of 8 elements.
extern "C" __global__ void sgemm_d(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n)
{
    __shared__ float as[64 * 8];
    __shared__ float bs[8 * 64];
    const int tid = threadIdx.x;
    const int column = tid % 64, group = tid / 64;
    const int a_row = tid / 8, a_col = tid % 8;
    const int b_row = tid / 64, b_col = tid % 64;
    const float* pa = a + (blockIdx.y * 64 + a_row) * n + a_col;
    const float* pb = b + b_row * n + blockIdx.x * 64 + b_col;
    float sum[8] = {};
    for (int t = 0; t < n; t += 8) {
        as[a_row * 8 + a_col] = pa[t];
        bs[b_row * 64 + b_col] = pb[(long long)t * n];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const float v = bs[k * 64 + column];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                sum[i] += as[(group * 8 + i) * 8 + k] * v;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        c[(blockIdx.y * 64 + group * 8 + i) * n + blockIdx.x * 64 + column] = sum[i];
    }
}
