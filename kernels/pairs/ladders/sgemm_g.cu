// sgemm_g: C = A · B, 128 × 128 tiles, 8 deep, two buffers; a warp 32 × 64 of them, a thread 2 × 2 pieces of 4 × 4.
extern "C" __global__ void __launch_bounds__(256, 2) sgemm_g(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n)
{
    __shared__ __align__(16) float as[2][8 * 132];
    __shared__ __align__(16) float bs[2][8 * 128];
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    const int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4;
    const int a_row = tid / 2, a_col = tid % 2 * 4;
    const int b_row = tid / 32, b_col = tid % 32 * 4;
    const float* pa = a + (blockIdx.y * 128 + a_row) * n + a_col;
    const float* pb = b + b_row * n + blockIdx.x * 128 + b_col;
    float sum[8][8] = {};
    float4 p = *reinterpret_cast<const float4*>(pa), q = *reinterpret_cast<const float4*>(pb);
    int s = 0;
    for (int t = 0; t < n; t += 8, s ^= 1) {
        as[s][(a_col + 0) * 132 + a_row] = p.x;
        as[s][(a_col + 1) * 132 + a_row] = p.y;
        as[s][(a_col + 2) * 132 + a_row] = p.z;
        as[s][(a_col + 3) * 132 + a_row] = p.w;
        *reinterpret_cast<float4*>(&bs[s][b_row * 128 + b_col]) = q;
        __syncthreads();
        if (t + 8 < n) {
            p = *reinterpret_cast<const float4*>(pa + t + 8);
            q = *reinterpret_cast<const float4*>(pb + (t + 8) * n);
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float u[8], v[8];
            *reinterpret_cast<float4*>(u) = *reinterpret_cast<const float4*>(&as[s][k * 132 + row]);
            *reinterpret_cast<float4*>(u + 4) = *reinterpret_cast<const float4*>(&as[s][k * 132 + row + 16]);
            *reinterpret_cast<float4*>(v) = *reinterpret_cast<const float4*>(&bs[s][k * 128 + column]);
            *reinterpret_cast<float4*>(v + 4) = *reinterpret_cast<const float4*>(&bs[s][k * 128 + column + 32]);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sum[i][j] += u[i] * v[j];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float* pc = c + (blockIdx.y * 128 + row + i / 4 * 16 + i % 4) * n + blockIdx.x * 128 + column;
        *reinterpret_cast<float4*>(pc) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        *reinterpret_cast<float4*>(pc + 32) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
    }
}
