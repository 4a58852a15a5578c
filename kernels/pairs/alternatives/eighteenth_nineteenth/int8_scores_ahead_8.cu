// int8_scores_ahead_8: scores of keys of eight bits, eight keys loaded before the first use.
#define DEPTH 128

// Four signed bytes, their sign bits turned: a byte under the exponent of 2^23 is a float.
__device__ __forceinline__ float byte_of(int word, int i)
{
    return __uint_as_float(__byte_perm((unsigned int)word ^ 0x80808080u, 0x4b000000u, 0x7650 + i)) - 8388736.0f;
}

// Loads in the order written, none moved behind the barrier after them.
__device__ __forceinline__ int4 ordered(const int4* at)
{
    int4 v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at) : "memory");
    return v;
}

// A head to blockIdx.x, 256 keys to a block, eight lanes to a key.
extern "C" __global__ void __launch_bounds__(256) int8_scores_ahead_8(float* __restrict__ out, const signed char* __restrict__ query, const float* __restrict__ query_scale, const signed char* __restrict__ key, const float* __restrict__ key_scale, int length)
{
    const int head = blockIdx.x, lane = threadIdx.x % 8, first = blockIdx.y * 256 + threadIdx.x / 8;
    const long long row = (long long)head * length;
    __shared__ int4 query_of[8];
    if (threadIdx.x < 8) {
        query_of[lane] = ((const int4*)(query + head * DEPTH))[lane];
    }
    const float scale = query_scale[head];
    int4 k[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        k[j] = ordered((const int4*)(key + (row + first + 32 * j) * DEPTH) + lane);
    }
    __syncthreads();
    const int4 q = query_of[lane];
    const int qs[4] = {q.x, q.y, q.z, q.w};
    float f[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        f[i] = byte_of(qs[i / 4], i % 4);
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        const int ks[4] = {k[j].x, k[j].y, k[j].z, k[j].w};
        float s = 0.0f;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            s += f[i] * byte_of(ks[i / 4], i % 4);
        }
#pragma unroll
        for (int d = 4; d > 0; d /= 2) {
            s += __shfl_xor_sync(0xffffffffu, s, d);
        }
        if (lane == 0) {
            out[row + first + 32 * j] = s * (scale * key_scale[row + first + 32 * j]);
        }
    }
}
