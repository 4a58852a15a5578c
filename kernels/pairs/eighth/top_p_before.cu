// top_p_before: least probability of those whose sum makes up a share of a row over a vocabulary, a block to a row, its bits found from
// the top, a bit a pass.
constexpr int Threads = 512, Top = 30, Steps = 24;

template <int N> __device__ __forceinline__ void sum_block(float (&sum)[N], float (*part)[N])
{
#pragma unroll
    for (int n = 0; n < N; ++n) {
#pragma unroll
        for (int d = 16; d; d /= 2) {
            sum[n] += __shfl_xor_sync(~0u, sum[n], d);
        }
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
#pragma unroll
        for (int n = 0; n < N; ++n) {
            part[threadIdx.x / 32][n] = sum[n];
        }
    }
    __syncthreads();
#pragma unroll
    for (int n = 0; n < N; ++n) {
        sum[n] = 0.0f;
        for (int w = 0; w < Threads / 32; ++w) {
            sum[n] += part[w][n];
        }
    }
}

template <int Bits> struct Search {
    static constexpr int N = (1 << Bits) - 1;
    float mass[N];
    __device__ __forceinline__ void pass(const float4* __restrict__ row, int fours, unsigned found, int bit, float (*part)[N])
    {
#pragma unroll
        for (int n = 0; n < N; ++n) {
            mass[n] = 0.0f;
        }
        for (int i = threadIdx.x; i < fours; i += Threads) {
            const float4 v = row[i];
            const float p[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int k = 0; k < 4; ++k) {
#pragma unroll
                for (int n = 0; n < N; ++n) {
                    mass[n] += p[k] >= __uint_as_float(found | (n + 1u) << bit) ? p[k] : 0.0f;
                }
            }
        }
        sum_block<N>(mass, part);
    }
    __device__ __forceinline__ unsigned reached(float goal) const
    {
        unsigned c = 0;
#pragma unroll
        for (int n = 0; n < N; ++n) {
            c = mass[n] >= goal ? n + 1u : c;
        }
        return c;
    }
};

extern "C" __global__ void __launch_bounds__(Threads, 2) top_p_before(float2* __restrict__ out, const float4* __restrict__ probability, int fours, float share)
{
    constexpr int Bits = 1;
    __shared__ float part[Threads / 32][Search<Bits>::N], first[Threads / 32][1];
    const float4* row = probability + (long long)blockIdx.x * fours;
    float all[1] = {};
    for (int i = threadIdx.x; i < fours; i += Threads) {
        const float4 v = row[i];
        all[0] += v.x + v.y + v.z + v.w;
    }
    sum_block<1>(all, first);
    unsigned found = 0;
    Search<Bits> search;
    for (int bit = Top - Bits; bit >= Top - Steps; bit -= Bits) {
        search.pass(row, fours, found, bit, part);
        found |= search.reached(share * all[0]) << bit;
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = make_float2(__uint_as_float(found), all[0]);
    }
}
