// phred_sums_before: errors expected in each read, from the qualities of its bases.
__device__ const float wrong[64] = {
    1.000000000e+00f, 7.943282347e-01f, 6.309573445e-01f, 5.011872336e-01f, 3.981071706e-01f, 3.162277660e-01f, 2.511886432e-01f, 1.995262315e-01f,
    1.584893192e-01f, 1.258925412e-01f, 1.000000000e-01f, 7.943282347e-02f, 6.309573445e-02f, 5.011872336e-02f, 3.981071706e-02f, 3.162277660e-02f,
    2.511886432e-02f, 1.995262315e-02f, 1.584893192e-02f, 1.258925412e-02f, 1.000000000e-02f, 7.943282347e-03f, 6.309573445e-03f, 5.011872336e-03f,
    3.981071706e-03f, 3.162277660e-03f, 2.511886432e-03f, 1.995262315e-03f, 1.584893192e-03f, 1.258925412e-03f, 1.000000000e-03f, 7.943282347e-04f,
    6.309573445e-04f, 5.011872336e-04f, 3.981071706e-04f, 3.162277660e-04f, 2.511886432e-04f, 1.995262315e-04f, 1.584893192e-04f, 1.258925412e-04f,
    1.000000000e-04f, 7.943282347e-05f, 6.309573445e-05f, 5.011872336e-05f, 3.981071706e-05f, 3.162277660e-05f, 2.511886432e-05f, 1.995262315e-05f,
    1.584893192e-05f, 1.258925412e-05f, 1.000000000e-05f, 7.943282347e-06f, 6.309573445e-06f, 5.011872336e-06f, 3.981071706e-06f, 3.162277660e-06f,
    2.511886432e-06f, 1.995262315e-06f, 1.584893192e-06f, 1.258925412e-06f, 1.000000000e-06f, 7.943282347e-07f, 6.309573445e-07f, 5.011872336e-07f};

// A warp to a read of 128 bases.
extern "C" __global__ void __launch_bounds__(256) phred_sums_before(float* __restrict__ out, const unsigned int* __restrict__ quality, int reads)
{
    const int read = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (read >= reads) {
        return;
    }
    const unsigned int q = quality[(long long)read * 32 + lane];
    float sum = wrong[q & 63] + wrong[q >> 8 & 63] + wrong[q >> 16 & 63] + wrong[q >> 24 & 63];
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    }
    if (lane == 0) {
        out[read] = sum;
    }
}
