// bytemul_a: C = A · Bᵀ of INT8, tiles of 32 × 32 bytes in shared memory, a thread to an output.
extern "C" __global__ void __launch_bounds__(1024) bytemul_a(int* __restrict__ c, const signed char* __restrict__ a, const signed char* __restrict__ b, int n, int k)
{
    __shared__ signed char left[32][32], right[32][36];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
    int sum = 0;
    for (int k0 = 0; k0 < k; k0 += 32) {
        left[ty][tx] = a[row * k + k0 + tx];
        right[tx][ty] = b[(blockIdx.x * 32 + ty) * k + k0 + tx];
        __syncthreads();
        for (int i = 0; i < 32; ++i) {
            sum += left[ty][i] * right[i][tx];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
