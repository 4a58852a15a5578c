// bytemul_a_wide: C = A · Bᵀ of INT8, tiles of 32 × 32 bytes in shared memory, a thread to an output, 16 bytes of the left tile a load.
extern "C" __global__ void __launch_bounds__(1024) bytemul_a_wide(int* __restrict__ c, const signed char* __restrict__ a, const signed char* __restrict__ b, int n, int k)
{
    __shared__ alignas(16) signed char left[32][32], right[32][36];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
    int sum = 0;
    for (int k0 = 0; k0 < k; k0 += 32) {
        left[ty][tx] = a[row * k + k0 + tx];
        right[tx][ty] = b[(blockIdx.x * 32 + ty) * k + k0 + tx];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; i += 16) {
            const int4 wide = *reinterpret_cast<const int4*>(&left[ty][i]);
            const int four[4] = {wide.x, wide.y, wide.z, wide.w};
#pragma unroll
            for (int h = 0; h < 16; ++h) {
                sum += static_cast<signed char>(four[h / 4] >> h % 4 * 8) * right[i + h][tx];
            }
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
