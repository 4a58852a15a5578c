// sgemm_b: C = A · B, a thread an element; neighbouring threads take neighbouring columns.
extern "C" __global__ void __launch_bounds__(1024) sgemm_b(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n)
{
    const int row = blockIdx.y * 32 + threadIdx.y;
    const int column = blockIdx.x * 32 + threadIdx.x;
    if (row < n && column < n) {
        float sum = 0.f;
        for (int k = 0; k < n; ++k) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}
