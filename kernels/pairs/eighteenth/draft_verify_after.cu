// draft_verify_after: tokens of a draft model accepted or refused by the target model, and the token after the last accepted one drawn (speculative decoding).
#define DRAFTS 4

__device__ __forceinline__ float noise(unsigned int i, unsigned int seed)
{
    unsigned int x = i * 0x9e3779b1u ^ seed;
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    x ^= x >> 16;
    return -__logf(((x >> 9) + 0.5f) * 1.1920929e-7f);
}

// Token of the residual max(target - draft, 0), or of the target alone where draft is null, by a race of exponential numbers.
__device__ __forceinline__ unsigned int race(const float4* __restrict__ target, const float4* __restrict__ draft, int fours, unsigned int seed, unsigned long long* best)
{
    unsigned long long b = 0;
    for (int i = threadIdx.x; i < fours; i += 512) {
        float4 p = target[i];
        if (draft) {
            const float4 q = draft[i];
            p = make_float4(fmaxf(p.x - q.x, 0.0f), fmaxf(p.y - q.y, 0.0f), fmaxf(p.z - q.z, 0.0f), fmaxf(p.w - q.w, 0.0f));
        }
        const float v[4] = {p.x, p.y, p.z, p.w};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float f = __fdividef(v[k], noise(4 * i + k, seed));
            b = max(b, (unsigned long long)__float_as_uint(f) << 32 | (unsigned int)~(4 * i + k));
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        b = max(b, __shfl_xor_sync(0xffffffffu, b, d));
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        best[threadIdx.x / 32] = b;
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        b = max(b, best[k]);
    }
    return ~(unsigned int)b;
}

// A block to a sequence.
extern "C" __global__ void __launch_bounds__(512) draft_verify_after(unsigned int* __restrict__ accepted, unsigned int* __restrict__ next, const float* __restrict__ target, const float* __restrict__ draft, const unsigned int* __restrict__ token, const float* __restrict__ chance, int vocabulary, unsigned int seed)
{
    __shared__ unsigned long long best[16];
    const int n = blockIdx.x;
    const float* p = target + (long long)n * (DRAFTS + 1) * vocabulary;
    const float* q = draft + (long long)n * DRAFTS * vocabulary;
    int count = 0;
    for (; count < DRAFTS; ++count) {
        const unsigned int d = token[n * DRAFTS + count];
        if (chance[n * DRAFTS + count] * q[(long long)count * vocabulary + d] > p[(long long)count * vocabulary + d]) {
            break;
        }
    }
    const unsigned int chosen = race((const float4*)(p + (long long)count * vocabulary), count == DRAFTS ? nullptr : (const float4*)(q + (long long)count * vocabulary), vocabulary / 4, seed + n * 8 + count, best);
    if (threadIdx.x == 0) {
        accepted[n] = count;
        next[n] = chosen;
    }
}
