// hh_neurons_before: neurons of Hodgkin and Huxley under a constant current.
// A thread to a neuron.
extern "C" __global__ void __launch_bounds__(1024) hh_neurons_before(float* __restrict__ out, const float* __restrict__ current, float step, int steps, int neurons)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= neurons) {
        return;
    }
    const float into = current[i];
    float v = -65.0f, m = 0.05f, h = 0.6f, n = 0.32f;
    int spikes = 0;
    for (int s = 0; s < steps; ++s) {
        const float am = 0.1f * (v + 40.0f) / (1.0f - expf(-(v + 40.0f) / 10.0f) + 1e-6f);
        const float bm = 4.0f * expf(-(v + 65.0f) / 18.0f);
        const float ah = 0.07f * expf(-(v + 65.0f) / 20.0f);
        const float bh = 1.0f / (1.0f + expf(-(v + 35.0f) / 10.0f));
        const float an = 0.01f * (v + 55.0f) / (1.0f - expf(-(v + 55.0f) / 10.0f) + 1e-6f);
        const float bn = 0.125f * expf(-(v + 65.0f) / 80.0f);
        m += step * (am * (1.0f - m) - bm * m);
        h += step * (ah * (1.0f - h) - bh * h);
        n += step * (an * (1.0f - n) - bn * n);
        const float flow = 120.0f * m * m * m * h * (v - 50.0f) + 36.0f * n * n * n * n * (v + 77.0f) + 0.3f * (v + 54.4f);
        const float next = v + step * (into - flow);
        spikes += v < 0.0f && next >= 0.0f;
        v = next;
    }
    out[i] = v;
    out[neurons + i] = spikes;
}
