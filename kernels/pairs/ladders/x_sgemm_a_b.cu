// sgemm_a: C = A · B, a thread an element; neighbouring threads take neighbouring rows.
extern "C" __global__ void __launch_bounds__(1024) x_sgemm_a_b(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n)
{
    const int row = blockIdx.x * 32 + threadIdx.x;
    const int column = blockIdx.y * 32 + threadIdx.y;
    if (row < n && column < n) {
        __shared__ float bs[32][33];
        float sum = 0.f;
        for (int t = 0; t < n; t += 32) {
            bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x];
            __syncthreads();
            for (int k = 0; k < 32; ++k) {
                sum += a[row * n + t + k] * bs[k][threadIdx.y];
            }
            __syncthreads();
        }
        c[row * n + column] = sum;
    }
}
