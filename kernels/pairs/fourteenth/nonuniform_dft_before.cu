// nonuniform_dft_before: spectra at frequencies between those of a grid.
extern "C" __global__ void __launch_bounds__(256) nonuniform_dft_before(float* __restrict__ out, const float* __restrict__ signal, const float* __restrict__ frequency, int samples, int frequencies)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x, part = samples / gridDim.y;
    if (k >= frequencies) {
        return;
    }
    const float turn = frequency[k];
    float re = 0.0f, im = 0.0f;
    for (int t = blockIdx.y * part; t < (blockIdx.y + 1) * part; ++t) {
        const float angle = turn * (t - blockIdx.y * part);
        re += signal[t] * cosf(angle);
        im -= signal[t] * sinf(angle);
    }
    out[(blockIdx.y * 2 + 0) * frequencies + k] = re;
    out[(blockIdx.y * 2 + 1) * frequencies + k] = im;
}
