// garch_fit_after: likelihood of a series of returns for many parameters of a GARCH(1, 1) model.
#define DAYS 8

// A thread to a set of parameters; one logarithm for the product of eight variances.
extern "C" __global__ void __launch_bounds__(256) garch_fit_after(float* __restrict__ out, const float* __restrict__ omega, const float* __restrict__ alpha, const float* __restrict__ beta, const float* __restrict__ shock, int sets, int days)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= sets) {
        return;
    }
    const float w = omega[i], a = alpha[i], b = beta[i];
    float h = w / (1.0f - a - b), sum = 0.0f;
    for (int t = 0; t < days; t += DAYS) {
        float product = 1.0f;
#pragma unroll
        for (int k = 0; k < DAYS; ++k) {
            const float square = shock[t + k] * shock[t + k];
            product *= h;
            sum += __fdividef(square, h);
            h = w + a * square + b * h;
        }
        sum += logf(product);
    }
    out[i] = -0.5f * sum;
}
