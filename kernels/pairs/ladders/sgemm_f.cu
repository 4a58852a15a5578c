// sgemm_f: C = A · B, 128 × 128 tiles, 8 deep; a thread 8 × 8 elements, all memory by float4, A transposed on its way into shared memory.
extern "C" __global__ void __launch_bounds__(256) sgemm_f(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n)
{
    __shared__ __align__(16) float as[8 * 128];
    __shared__ __align__(16) float bs[8 * 128];
    const int tid = threadIdx.x;
    const int tx = tid % 16, ty = tid / 16;
    const int a_row = tid / 2, a_col = tid % 2 * 4;
    const int b_row = tid / 32, b_col = tid % 32 * 4;
    const float* pa = a + (blockIdx.y * 128 + a_row) * n + a_col;
    const float* pb = b + b_row * n + blockIdx.x * 128 + b_col;
    float sum[8][8] = {};
    for (int t = 0; t < n; t += 8) {
        const float4 p = *reinterpret_cast<const float4*>(pa + t);
        as[(a_col + 0) * 128 + a_row] = p.x;
        as[(a_col + 1) * 128 + a_row] = p.y;
        as[(a_col + 2) * 128 + a_row] = p.z;
        as[(a_col + 3) * 128 + a_row] = p.w;
        *reinterpret_cast<float4*>(&bs[b_row * 128 + b_col]) = *reinterpret_cast<const float4*>(pb + t * n);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float u[8], v[8];
            *reinterpret_cast<float4*>(u) = *reinterpret_cast<const float4*>(&as[k * 128 + ty * 8]);
            *reinterpret_cast<float4*>(u + 4) = *reinterpret_cast<const float4*>(&as[k * 128 + ty * 8 + 4]);
            *reinterpret_cast<float4*>(v) = *reinterpret_cast<const float4*>(&bs[k * 128 + tx * 8]);
            *reinterpret_cast<float4*>(v + 4) = *reinterpret_cast<const float4*>(&bs[k * 128 + tx * 8 + 4]);
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
        float* pc = c + (blockIdx.y * 128 + ty * 8 + i) * n + blockIdx.x * 128 + tx * 8;
        *reinterpret_cast<float4*>(pc) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        *reinterpret_cast<float4*>(pc + 4) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
    }
}
