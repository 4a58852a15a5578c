// lu_batched_before: LU without pivots of matrices of 32 x 32, a block to a matrix in shared memory, two barriers a step.
extern "C" __global__ void __launch_bounds__(256) lu_batched_before(float* lu, const float* __restrict__ in, float shift)
{
    __shared__ float a[32][33];
    const int x = threadIdx.x & 31, y = threadIdx.x / 32;
    const long long base = (long long)blockIdx.x * 1024;
    for (int r = y; r < 32; r += 8) {
        a[r][x] = in[base + r * 32 + x] + (r == x ? shift : 0.0f);
    }
    __syncthreads();
    for (int k = 0; k < 31; ++k) {
        if (threadIdx.x > k && threadIdx.x < 32) {
            a[threadIdx.x][k] /= a[k][k];
        }
        __syncthreads();
        for (int r = y; r < 32; r += 8) {
            if (r > k && x > k) {
                a[r][x] -= a[r][k] * a[k][x];
            }
        }
        __syncthreads();
    }
    for (int r = y; r < 32; r += 8) {
        lu[base + r * 32 + x] = a[r][x];
    }
}
