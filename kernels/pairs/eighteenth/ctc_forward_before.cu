// ctc_forward_before: forward pass of the CTC loss in logarithms.
#define LABELS 100
#define STATES (2 * LABELS + 1)

// A block to a sequence, a thread to a state (label or blank), symbol 0 is the blank.
extern "C" __global__ void __launch_bounds__(224) ctc_forward_before(float* __restrict__ loss, const float* __restrict__ log_prob, const unsigned int* __restrict__ label, int steps, int symbols)
{
    __shared__ float alpha[2][224 + 2];
    const int n = blockIdx.x, s = threadIdx.x, batch = gridDim.x;
    const bool real = s < STATES;
    const int symbol = real && s % 2 ? label[n * LABELS + s / 2] : 0;
    const bool skip = real && s % 2 && s > 1 && (int)label[n * LABELS + s / 2 - 1] != symbol;
    const float* at = log_prob + (long long)n * symbols + symbol;
    const long long step = (long long)batch * symbols;
    if (s < 2) {
        alpha[0][s] = alpha[1][s] = -INFINITY;
    }
    alpha[0][s + 2] = s < 2 ? at[0] : -INFINITY;
    __syncthreads();
    for (int t = 1; t < steps; ++t) {
        const float* old = alpha[(t + 1) % 2];
        const float a = old[s + 2], b = old[s + 1], c = skip ? old[s] : -INFINITY;
        float m = fmaxf(a, fmaxf(b, c));
        m = m == -INFINITY ? 0.0f : m;
        alpha[t % 2][s + 2] = real ? m + logf(expf(a - m) + expf(b - m) + expf(c - m)) + at[t * step] : -INFINITY;
        __syncthreads();
    }
    if (s == 0) {
        const float* last = alpha[(steps - 1) % 2];
        const float a = last[STATES + 1], b = last[STATES], m = fmaxf(a, b);
        loss[n] = -(m + logf(expf(a - m) + expf(b - m)));
    }
}
