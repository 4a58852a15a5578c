// reduce_ref: sums of the pieces of chunk elements that block b of blocks has.
extern "C" __global__ void reduce_ref(float* __restrict__ out, const float* __restrict__ in, unsigned n, unsigned blocks, unsigned chunk)
{
    __shared__ double s;
    if (threadIdx.x == 0) {
        s = 0.0;
    }
    __syncthreads();
    double v = 0.0;
    for (unsigned long long first = (unsigned long long)blockIdx.x * chunk; first < n; first += (unsigned long long)blocks * chunk) {
        for (unsigned i = threadIdx.x; i < chunk && first + i < n; i += blockDim.x) {
            v += in[first + i];
        }
    }
    atomicAdd(&s, v);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = (float)s;
    }
}
