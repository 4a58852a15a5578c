// sgemm_a: C = A · B, a thread an element; neighbouring threads take neighbouring rows.
extern "C" __global__ void __launch_bounds__(1024) sgemm_a(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n)
{
    const int row = blockIdx.x * 32 + threadIdx.x;
    const int column = blockIdx.y * 32 + threadIdx.y;
    if (row < n && column < n) {
        float sum = 0.f;
        for (int k = 0; k < n; ++k) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}
