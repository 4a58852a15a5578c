// label_sum_after: sums of values by label, a copy of the sums to each warp in shared memory, one atomic a label and block at the end.
__global__ void __launch_bounds__(256) label_sum_after(float* sums, const float* value, const unsigned* label, unsigned count)
{
    __shared__ float local[8][64];
    for (unsigned i = threadIdx.x; i < 8u * 64u; i += 256u) {
        local[i / 64u][i % 64u] = 0.0f;
    }
    __syncthreads();
    float* mine = local[threadIdx.x / 32u];
    for (unsigned i = blockIdx.x * 256u + threadIdx.x; i < count; i += gridDim.x * 256u) {
        atomicAdd(mine + label[i], value[i]);
    }
    __syncthreads();
    if (threadIdx.x < 64u) {
        float sum = 0.0f;
        for (int w = 0; w < 8; ++w) {
            sum += local[w][threadIdx.x];
        }
        atomicAdd(sums + threadIdx.x, sum);
    }
}
