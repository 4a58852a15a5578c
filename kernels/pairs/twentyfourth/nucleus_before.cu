// nucleus_before: the threshold of top-p sampling of each row of logits, by bisection, and the mass that it keeps.
#define VOCABULARY 32768
#define THREADS 1024

__device__ __forceinline__ float block_sum(float v, float* part)
{
    for (int d = 16; d > 0; d >>= 1) {
        v += __shfl_xor_sync(0xffffffffu, v, d);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = v;
    }
    __syncthreads();
    v = part[threadIdx.x % 32];
    for (int d = 16; d > 0; d >>= 1) {
        v += __shfl_xor_sync(0xffffffffu, v, d);
    }
    return v;
}

__device__ __forceinline__ float block_max(float v, float* part)
{
    for (int d = 16; d > 0; d >>= 1) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = v;
    }
    __syncthreads();
    v = part[threadIdx.x % 32];
    for (int d = 16; d > 0; d >>= 1) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    }
    return v;
}

// A row a block.
extern "C" __global__ void __launch_bounds__(1024) nucleus_before(float2* __restrict__ out, const float* __restrict__ logits, float top_p)
{
    __shared__ float part[32];
    const float* x = logits + (long long)blockIdx.x * VOCABULARY;
    float m = -INFINITY;
    for (int i = threadIdx.x; i < VOCABULARY; i += THREADS) {
        m = fmaxf(m, x[i]);
    }
    m = block_max(m, part);
    float s = 0.0f;
    for (int i = threadIdx.x; i < VOCABULARY; i += THREADS) {
        s += expf(x[i] - m);
    }
    s = block_sum(s, part);
    float low = 0.0f, high = 1.0f, kept = s;
    for (int round = 0; round < 16; ++round) {
        const float middle = 0.5f * (low + high);
        float mass = 0.0f;
        for (int i = threadIdx.x; i < VOCABULARY; i += THREADS) {
            const float p = expf(x[i] - m);
            if (p >= middle) {
                mass += p;
            }
        }
        mass = block_sum(mass, part);
        if (mass >= top_p * s) {
            low = middle;
            kept = mass;
        } else {
            high = middle;
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = make_float2(low / s, kept / s);
    }
}
