// squared_error_before: the sum of squared differences of two tensors, the end of a block by a tree in shared memory.
extern "C" __global__ void __launch_bounds__(256) squared_error_before(float* loss, const float4* __restrict__ a, const float4* __restrict__ b, int quads)
{
    float sum = 0.0f;
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
        const float4 p = a[i], q = b[i];
        sum += (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z) + (p.w - q.w) * (p.w - q.w);
    }
    __shared__ float part[256];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (threadIdx.x < d) {
            part[threadIdx.x] += part[threadIdx.x + d];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(loss, part[0]);
    }
}
