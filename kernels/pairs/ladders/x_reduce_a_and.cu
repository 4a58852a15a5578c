// reduce_a: a sum for each block; partners interleaved, every other thread of the last step adds.
extern "C" __global__ void __launch_bounds__(256) x_reduce_a_and(float* __restrict__ out, const float* __restrict__ in, unsigned n, unsigned blocks, unsigned chunk)
{
    __shared__ float s[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * 256u + t;
    s[t] = i < n ? in[i] : 0.f;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        if ((t & (2 * d - 1)) == 0) {
            s[t] += s[t + d];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}
