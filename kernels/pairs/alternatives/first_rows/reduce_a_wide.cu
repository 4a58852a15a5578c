// reduce_a_wide: a sum for each block of two warps; a load of four elements a thread, shuffles, one barrier.
extern "C" __global__ void __launch_bounds__(64) reduce_a_wide(float* __restrict__ out, const float* __restrict__ in, unsigned n, unsigned blocks, unsigned chunk)
{
    __shared__ float s;
    const unsigned t = threadIdx.x, i = blockIdx.x * 64u + t;
    const float4* in4 = reinterpret_cast<const float4*>(in);
    const float4 a = in4[i];
    float v = (a.x + a.y) + (a.z + a.w);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(~0u, v, d);
    }
    if (t == 32) {
        s = v;
    }
    __syncthreads();
    if (t == 0) {
        out[blockIdx.x] = v + s;
    }
}
