// reduce_d: a sum for each block; a thread adds two elements while it loads, then the first half adds the second.
extern "C" __global__ void __launch_bounds__(256) reduce_d(float* __restrict__ out, const float* __restrict__ in, unsigned n, unsigned blocks, unsigned chunk)
{
    __shared__ float s[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * 512u + t;
    float v = i < n ? in[i] : 0.f;
    if (i + 256u < n) {
        v += in[i + 256u];
    }
    s[t] = v;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}
