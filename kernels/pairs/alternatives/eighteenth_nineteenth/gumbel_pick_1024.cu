// gumbel_pick_1024: tokens drawn from logits by the Gumbel trick, a block of 1,024 threads to a row, nothing else changed.
// Ten rounds of Philox: four words for a counter and a key.
__device__ __forceinline__ uint4 philox(unsigned int low, unsigned int high, unsigned int seed)
{
    uint4 c = make_uint4(low, high, 0u, 0u);
    unsigned int k0 = seed, k1 = 0x5851f42du;
#pragma unroll
    for (int r = 0; r < 10; ++r) {
        const unsigned int h0 = __umulhi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x;
        const unsigned int h1 = __umulhi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return c;
}

__device__ __forceinline__ float gumbel(unsigned int x)
{
    return -logf(-logf(((x >> 9) + 0.5f) * 1.1920929e-7f));
}

// A block to a row.
extern "C" __global__ void __launch_bounds__(1024) gumbel_pick_1024(unsigned int* __restrict__ token, float* __restrict__ score, const float* __restrict__ logit, const float* __restrict__ temperature, int vocabulary, unsigned int seed)
{
    __shared__ float tops[32];
    __shared__ int places[32];
    const float* row = logit + (long long)blockIdx.x * vocabulary;
    const float inverse = 1.0f / temperature[blockIdx.x];
    float top = -INFINITY;
    int place = 0;
    for (int i = threadIdx.x; i < vocabulary; i += 1024) {
        const uint4 r = philox(i / 4, blockIdx.x, seed);
        const unsigned int x = i % 4 == 0 ? r.x : i % 4 == 1 ? r.y : i % 4 == 2 ? r.z : r.w;
        const float v = row[i] * inverse + gumbel(x);
        if (v > top) {
            top = v;
            place = i;
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        const float t = __shfl_xor_sync(0xffffffffu, top, d);
        const int p = __shfl_xor_sync(0xffffffffu, place, d);
        if (t > top || (t == top && p < place)) {
            top = t;
            place = p;
        }
    }
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = top;
        places[threadIdx.x / 32] = place;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 32; ++k) {
            if (tops[k] > top || (tops[k] == top && places[k] < place)) {
                top = tops[k];
                place = places[k];
            }
        }
        token[blockIdx.x] = place;
        score[blockIdx.x] = top;
    }
}
