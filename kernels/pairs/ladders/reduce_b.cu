// reduce_b: a sum for each block; partners interleaved, the first threads add.
extern "C" __global__ void __launch_bounds__(256) reduce_b(float* __restrict__ out, const float* __restrict__ in, unsigned n, unsigned blocks, unsigned chunk)
{
    __shared__ float s[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * 256u + t;
    s[t] = i < n ? in[i] : 0.f;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        const unsigned j = 2 * d * t;
        if (j < blockDim.x) {
            s[j] += s[j + d];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}
