// reduce_c: a sum for each block; the first half adds the second.
extern "C" __global__ void __launch_bounds__(256) reduce_c(float* __restrict__ out, const float* __restrict__ in, unsigned n, unsigned blocks, unsigned chunk)
{
    __shared__ float s[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * 256u + t;
    s[t] = i < n ? in[i] : 0.f;
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
