// lion_step_before: a step of the optimiser Lion.
extern "C" __global__ void __launch_bounds__(256) lion_step_before(float* __restrict__ weight_out, float* __restrict__ moment_out, const float* __restrict__ weight, const float* __restrict__ moment, const float* __restrict__ gradient, float rate, float decay, float beta1, float beta2, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float m = moment[i], g = gradient[i], w = weight[i];
    const float c = beta1 * m + (1.0f - beta1) * g;
    const float sign = c > 0.0f ? 1.0f : c < 0.0f ? -1.0f : 0.0f;
    weight_out[i] = w - rate * (sign + decay * w);
    moment_out[i] = beta2 * m + (1.0f - beta2) * g;
}
