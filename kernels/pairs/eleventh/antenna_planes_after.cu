// antenna_planes_after: samples of four antennas, interleaved, calibrated and put into planes, a block to 1,024 words.
extern "C" __global__ void __launch_bounds__(256) antenna_planes_after(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ gain, int samples)
{
    __shared__ float tile[1056];
    const long long base = (long long)blockIdx.x * 1024;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int i = threadIdx.x + 256 * r;
        tile[i + i / 32] = in[base + i];
    }
    __syncthreads();
    const int k = threadIdx.x;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
        out[(long long)c * samples + blockIdx.x * 256 + k] = tile[k * 4 + c + (k * 4 + c) / 32] * gain[c];
    }
}
