// nonuniform_dft_after: spectra at frequencies between those of a grid.
extern "C" __global__ void __launch_bounds__(256) nonuniform_dft_after(float* __restrict__ out, const float* __restrict__ signal, const float* __restrict__ frequency, int samples, int frequencies)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x, part = samples / gridDim.y;
    if (k >= frequencies) {
        return;
    }
    const float turn = frequency[k];
    float step_re, step_im;
    sincosf(turn, &step_im, &step_re);
    float re = 0.0f, im = 0.0f, at_re = 1.0f, at_im = 0.0f;
    for (int t = blockIdx.y * part; t < (blockIdx.y + 1) * part; ++t) {
        re += signal[t] * at_re;
        im -= signal[t] * at_im;
        const float next = at_re * step_re - at_im * step_im;
        at_im = at_re * step_im + at_im * step_re;
        at_re = next;
    }
    out[(blockIdx.y * 2 + 0) * frequencies + k] = re;
    out[(blockIdx.y * 2 + 1) * frequencies + k] = im;
}
