// row_norms_before: norm of rows of 8,192 floats, a block to a row, 16 bytes a lane, tree in shared memory with a barrier a level.
extern "C" __global__ void __launch_bounds__(256) row_norms_before(float* norm, const float4* __restrict__ in)
{
    __shared__ float part[256];
    const int t = threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const float4 v = in[blockIdx.x * 2048ll + i * 256 + t];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    part[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) {
            part[t] += part[t + d];
        }
        __syncthreads();
    }
    if (t == 0) {
        norm[blockIdx.x] = sqrtf(part[0]);
    }
}
