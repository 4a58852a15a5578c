// moe_balance_before: mass of probability and number of tokens of each of 64 experts, for the loss that balances a router.
#define EXPERTS 64

// A warp to a token, two experts to a lane.
extern "C" __global__ void __launch_bounds__(256) moe_balance_before(float* __restrict__ mass, unsigned int* __restrict__ chosen, const float2* __restrict__ logit, int tokens)
{
    const int lane = threadIdx.x % 32;
    const int t = blockIdx.x * 8 + threadIdx.x / 32;
    if (t < tokens) {
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
        atomicAdd(mass + 2 * lane, x * inverse);
        atomicAdd(mass + 2 * lane + 1, y * inverse);
        if (first) {
            atomicAdd(chosen + 2 * lane + (v.x == top ? 0 : 1), 1u);
        }
    }
}
