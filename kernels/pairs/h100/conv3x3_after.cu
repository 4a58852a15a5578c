// conv3x3_after: the same convolution, a tile with its halo in shared memory.
__global__ void __launch_bounds__(256) conv3x3_after(float* out, const float* __restrict__ in, const float* __restrict__ weight, int width,
                                                     int height)
{
    __shared__ float tile[10][34];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) {
        const int row = min(max(y0 + i / 34 - 1, 0), height - 1), column = min(max(x0 + i % 34 - 1, 0), width - 1);
        tile[i / 34][i % 34] = in[(long long)row * width + column];
    }
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) {
            sum += weight[dy * 3 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
        }
    }
    out[(long long)(y0 + threadIdx.y) * width + x0 + threadIdx.x] = sum;
}
