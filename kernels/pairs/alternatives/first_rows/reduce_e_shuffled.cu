// reduce_e_shuffled: a sum for each block; two elements a thread, shuffles within each warp, then one barrier and the first warp.
extern "C" __global__ void __launch_bounds__(256) reduce_e_shuffled(float* __restrict__ out, const float* __restrict__ in, unsigned n, unsigned blocks, unsigned chunk)
{
    __shared__ float s[8];
    const unsigned t = threadIdx.x, i = blockIdx.x * 512u + t;
    float v = i < n ? in[i] : 0.f;
    if (i + 256u < n) {
        v += in[i + 256u];
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
