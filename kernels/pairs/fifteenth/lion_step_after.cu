// lion_step_after: a step of the optimiser Lion.
__device__ __forceinline__ void step(float& w, float& m, float g, float rate, float decay, float beta1, float beta2)
{
    const float c = beta1 * m + (1.0f - beta1) * g;
    const float sign = c > 0.0f ? 1.0f : c < 0.0f ? -1.0f : 0.0f;
    w = w - rate * (sign + decay * w);
    m = beta2 * m + (1.0f - beta2) * g;
}

// Four weights a thread.
extern "C" __global__ void __launch_bounds__(256) lion_step_after(float* __restrict__ weight_out, float* __restrict__ moment_out, const float* __restrict__ weight, const float* __restrict__ moment, const float* __restrict__ gradient, float rate, float decay, float beta1, float beta2, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n / 4) {
        return;
    }
    float4 m = ((const float4*)moment)[i], w = ((const float4*)weight)[i];
    const float4 g = ((const float4*)gradient)[i];
    step(w.x, m.x, g.x, rate, decay, beta1, beta2);
    step(w.y, m.y, g.y, rate, decay, beta1, beta2);
    step(w.z, m.z, g.z, rate, decay, beta1, beta2);
    step(w.w, m.w, g.w, rate, decay, beta1, beta2);
    ((float4*)weight_out)[i] = w;
    ((float4*)moment_out)[i] = m;
}
