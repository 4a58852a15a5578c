// row_norms_after: norm of rows of 8,192 floats, a block to a row, 16 bytes a lane, shuffles and one barrier.
extern "C" __global__ void __launch_bounds__(256) row_norms_after(float* norm, const float4* __restrict__ in)
{
    __shared__ float part[256];
    const int t = threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const float4 v = in[blockIdx.x * 2048ll + i * 256 + t];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
    }
    if (t % 32 == 0) {
        part[t / 32] = sum;
    }
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < 8; ++i) {
            sum += part[i];
        }
        norm[blockIdx.x] = sqrtf(sum);
    }
}
