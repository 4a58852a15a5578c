// squared_error_after: the sum of squared differences of two tensors, the end of a block by shuffles.
extern "C" __global__ void __launch_bounds__(256) squared_error_after(float* loss, const float4* __restrict__ a, const float4* __restrict__ b, int quads)
{
    float sum = 0.0f;
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
        const float4 p = a[i], q = b[i];
        sum += (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z) + (p.w - q.w) * (p.w - q.w);
    }
    __shared__ float part[8];
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(~0u, sum, d);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = part[threadIdx.x];
        for (int d = 4; d > 0; d /= 2) {
            sum += __shfl_xor_sync(0xffu, sum, d);
        }
        if (threadIdx.x == 0) {
            atomicAdd(loss, sum);
        }
    }
}
