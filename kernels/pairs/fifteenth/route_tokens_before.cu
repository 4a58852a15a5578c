// route_tokens_before: the four best of 64 experts for each token and their weights, for a mixture of experts.
#define EXPERTS 64
#define TOP 4

// A thread to a token.
extern "C" __global__ void __launch_bounds__(128) route_tokens_before(float* __restrict__ weight, unsigned int* __restrict__ expert, const float* __restrict__ logit, int tokens)
{
    const int t = blockIdx.x * 128 + threadIdx.x;
    if (t >= tokens) {
        return;
    }
    const float* row = logit + (long long)t * EXPERTS;
    unsigned long long taken = 0;
    float best[TOP];
    int at[TOP];
    for (int k = 0; k < TOP; ++k) {
        best[k] = -INFINITY;
        at[k] = 0;
        for (int e = 0; e < EXPERTS; ++e) {
            const float v = row[e];
            if (!(taken >> e & 1) && v > best[k]) {
                best[k] = v;
                at[k] = e;
            }
        }
        taken |= 1ull << at[k];
    }
    float sum = 0.0f;
    for (int k = 0; k < TOP; ++k) {
        sum += expf(best[k] - best[0]);
    }
    for (int k = 0; k < TOP; ++k) {
        weight[t * TOP + k] = expf(best[k] - best[0]) / sum;
        expert[t * TOP + k] = at[k];
    }
}
