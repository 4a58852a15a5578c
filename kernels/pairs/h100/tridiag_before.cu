// tridiag_before: batched tridiagonal systems of up to 32 unknowns, Thomas algorithm, a thread to a system, systems one behind the other.
__global__ void __launch_bounds__(128) tridiag_before(float* x, const float* a, const float* b, const float* c, const float* d, int n)
{
    const long long base = (long long)(blockIdx.x * 128u + threadIdx.x) * n;
    float cp[32], dp[32];
    cp[0] = c[base] / b[base];
    dp[0] = d[base] / b[base];
#pragma unroll 1
    for (int i = 1; i < n; ++i) {
        const float lower = a[base + i];
        const float w = 1.0f / (b[base + i] - lower * cp[i - 1]);
        cp[i] = c[base + i] * w;
        dp[i] = (d[base + i] - lower * dp[i - 1]) * w;
    }
    float last = dp[n - 1];
    x[base + n - 1] = last;
#pragma unroll 1
    for (int i = n - 2; i >= 0; --i) {
        last = dp[i] - cp[i] * last;
        x[base + i] = last;
    }
}
