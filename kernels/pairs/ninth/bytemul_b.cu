// bytemul_b: C = A · Bᵀ of INT8, tiles of 32 × 32 words in shared memory, a thread to an output, four products an instruction.
extern "C" __global__ void __launch_bounds__(1024) bytemul_b(int* __restrict__ c, const signed char* __restrict__ a, const signed char* __restrict__ b, int n, int k)
{
    __shared__ int left[32][32], right[32][33];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
    const int* const aw = reinterpret_cast<const int*>(a);
    const int* const bw = reinterpret_cast<const int*>(b);
    const int words = k / 4;
    int sum = 0;
    for (int k0 = 0; k0 < words; k0 += 32) {
        left[ty][tx] = aw[row * words + k0 + tx];
        right[tx][ty] = bw[(blockIdx.x * 32 + ty) * words + k0 + tx];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            sum = __dp4a(left[ty][i], right[i][tx], sum);
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
