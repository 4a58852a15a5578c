// garch_fit_before: likelihood of a series of returns for many parameters of a GARCH(1, 1) model.
// A thread to a set of parameters.
extern "C" __global__ void __launch_bounds__(256) garch_fit_before(float* __restrict__ out, const float* __restrict__ omega, const float* __restrict__ alpha, const float* __restrict__ beta, const float* __restrict__ shock, int sets, int days)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= sets) {
        return;
    }
    const float w = omega[i], a = alpha[i], b = beta[i];
    float h = w / (1.0f - a - b), sum = 0.0f;
    for (int t = 0; t < days; ++t) {
        const float square = shock[t] * shock[t];
        sum += logf(h) + square / h;
        h = w + a * square + b * h;
    }
    out[i] = -0.5f * sum;
}
