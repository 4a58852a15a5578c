// reduce_e: a sum for each block; two elements a thread, shared memory down to a warp, then shuffles.
extern "C" __global__ void __launch_bounds__(256) reduce_e(float* __restrict__ out, const float* __restrict__ in, unsigned n, unsigned blocks, unsigned chunk)
{
    __shared__ float s[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * 512u + t;
    float v = i < n ? in[i] : 0.f;
    if (i + 256u < n) {
        v += in[i + 256u];
    }
    s[t] = v;
    __syncthreads();
    if (t < 128) {
        s[t] = v = v + s[t + 128];
    }
    __syncthreads();
    if (t < 64) {
        s[t] = v = v + s[t + 64];
    }
    __syncthreads();
    if (t < 32) {
        v += s[t + 32];
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            v += __shfl_down_sync(0xffffffffu, v, d);
        }
        if (t == 0) {
            out[blockIdx.x] = v;
        }
    }
}
