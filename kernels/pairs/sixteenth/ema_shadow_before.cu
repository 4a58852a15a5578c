// ema_shadow_before: a running mean of the weights of a network.
// Four weights a thread.
extern "C" __global__ void __launch_bounds__(256) ema_shadow_before(float4* __restrict__ out, const float4* __restrict__ shadow, const float4* __restrict__ weight, float decay, int fours)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= fours) {
        return;
    }
    const float4 s = shadow[i], w = weight[i];
    const float rest = 1.0f - decay;
    out[i] = make_float4(decay * s.x + rest * w.x, decay * s.y + rest * w.y, decay * s.z + rest * w.z, decay * s.w + rest * w.w);
}
