// moe_balance_after: mass of probability and number of tokens of each of 64 experts, for the loss that balances a router.
#define EXPERTS 64

// A warp to 64 tokens, two experts to a lane.
extern "C" __global__ void __launch_bounds__(256) moe_balance_after(float* __restrict__ mass, unsigned int* __restrict__ chosen, const float2* __restrict__ logit, int tokens)
{
    const int lane = threadIdx.x % 32;
    float mx = 0.0f, my = 0.0f;
    unsigned int cx = 0, cy = 0;
    const int begin = (blockIdx.x * 8 + threadIdx.x / 32) * 64;
#pragma unroll 4
    for (int t = begin; t < min(begin + 64, tokens); ++t) {
        const float2 v = logit[(long long)t * (EXPERTS / 2) + lane];
        float top = fmaxf(v.x, v.y);
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
        }
        const float x = __expf(v.x - top), y = __expf(v.y - top);
        float sum = x + y;
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        }
        const float inverse = 1.0f / sum;
        const bool here = v.x == top || v.y == top;
        const unsigned int all = __ballot_sync(0xffffffffu, here);
        const bool first = here && (all & ((1u << lane) - 1)) == 0;
        mx += x * inverse;
        my += y * inverse;
        cx += first && v.x == top;
        cy += first && v.x != top;
    }
    __shared__ float masses[8][EXPERTS];
    __shared__ unsigned int counts[8][EXPERTS];
    masses[threadIdx.x / 32][2 * lane] = mx;
    masses[threadIdx.x / 32][2 * lane + 1] = my;
    counts[threadIdx.x / 32][2 * lane] = cx;
    counts[threadIdx.x / 32][2 * lane + 1] = cy;
    __syncthreads();
    if (threadIdx.x < EXPERTS) {
        float m = 0.0f;
        unsigned int c = 0;
        for (int k = 0; k < 8; ++k) {
            m += masses[k][threadIdx.x];
            c += counts[k][threadIdx.x];
        }
        atomicAdd(mass + threadIdx.x, m);
        atomicAdd(chosen + threadIdx.x, c);
    }
}
