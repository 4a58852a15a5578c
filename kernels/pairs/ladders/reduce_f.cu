// reduce_f: a sum for each block; resident blocks stride over all elements by float4, then shuffles.
extern "C" __global__ void __launch_bounds__(256) reduce_f(float* __restrict__ out, const float* __restrict__ in, unsigned n, unsigned blocks, unsigned chunk)
{
    __shared__ float s[8];
    const unsigned t = threadIdx.x;
    const float4* in4 = reinterpret_cast<const float4*>(in);
    float v = 0.f;
    for (unsigned i = blockIdx.x * 256u + t; i < n / 4; i += gridDim.x * 256u) {
        const float4 p = in4[i];
        v += (p.x + p.y) + (p.z + p.w);
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(0xffffffffu, v, d);
    }
    if (t % 32 == 0) {
        s[t / 32] = v;
    }
    __syncthreads();
    if (t < 8) {
        v = s[t];
#pragma unroll
        for (int d = 4; d > 0; d /= 2) {
            v += __shfl_down_sync(0xffu, v, d);
        }
        if (t == 0) {
            out[blockIdx.x] = v;
        }
    }
}
