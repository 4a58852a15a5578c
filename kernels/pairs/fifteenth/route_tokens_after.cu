// route_tokens_after: the four best of 64 experts for each token and their weights, for a mixture of experts.
#define EXPERTS 64
#define TOP 4

// A warp to a token, two experts a lane.
extern "C" __global__ void __launch_bounds__(128) route_tokens_after(float* __restrict__ weight, unsigned int* __restrict__ expert, const float* __restrict__ logit, int tokens)
{
    const int t = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (t >= tokens) {
        return;
    }
    const float* row = logit + (long long)t * EXPERTS;
    float low = row[lane], high = row[lane + 32];
    float best[TOP];
    int at[TOP];
#pragma unroll
    for (int k = 0; k < TOP; ++k) {
        best[k] = low >= high ? low : high;
        at[k] = low >= high ? lane : lane + 32;
#pragma unroll
        for (int step = 16; step > 0; step /= 2) {
            const float v = __shfl_xor_sync(0xffffffffu, best[k], step);
            const int e = __shfl_xor_sync(0xffffffffu, at[k], step);
            if (v > best[k] || (v == best[k] && e < at[k])) {
                best[k] = v;
                at[k] = e;
            }
        }
        if (at[k] == lane) {
            low = -INFINITY;
        }
        if (at[k] == lane + 32) {
            high = -INFINITY;
        }
    }
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < TOP; ++k) {
        sum += expf(best[k] - best[0]);
    }
#pragma unroll
    for (int k = 0; k < TOP; ++k) {
        if (lane == k) {
            weight[t * TOP + k] = expf(best[k] - best[0]) / sum;
            expert[t * TOP + k] = at[k];
        }
    }
}
