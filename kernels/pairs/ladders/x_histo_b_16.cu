// histo_b: counts of byte values, in shared memory first.
extern "C" __global__ void __launch_bounds__(256) x_histo_b_16(unsigned* bins, const unsigned char* __restrict__ data, unsigned n)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    const uint4* data16 = reinterpret_cast<const uint4*>(data);
    for (unsigned i = blockIdx.x * 256u + threadIdx.x; i < n / 16; i += gridDim.x * 256u) {
        const uint4 v = data16[i];
        const unsigned w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            atomicAdd(&s[w[j / 4] >> j % 4 * 8 & 255u], 1u);
        }
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
