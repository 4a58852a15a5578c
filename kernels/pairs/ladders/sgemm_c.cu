// sgemm_c: C = A · B, 32 × 32 tiles of both operands in shared memory, a thread an element.
extern "C" __global__ void __launch_bounds__(1024) sgemm_c(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n)
{
    __shared__ float as[32][32];
    __shared__ float bs[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
    float sum = 0.f;
    for (int t = 0; t < n; t += 32) {
        as[y][x] = a[row * n + t + x];
        bs[y][x] = b[(t + y) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            sum += as[y][k] * bs[k][x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
