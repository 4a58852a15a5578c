// int8_scores_before: scores of one query of each head against cached keys of eight bits, a scale to each key.
#define DEPTH 128

// Four signed bytes, their sign bits turned: a byte under the exponent of 2^23 is a float.
__device__ __forceinline__ float byte_of(int word, int i)
{
    return __uint_as_float(__byte_perm((unsigned int)word ^ 0x80808080u, 0x4b000000u, 0x7650 + i)) - 8388736.0f;
}

// A head to blockIdx.x, 128 keys to a block, eight lanes to a key.
extern "C" __global__ void __launch_bounds__(256) int8_scores_before(float* __restrict__ out, const signed char* __restrict__ query, const float* __restrict__ query_scale, const signed char* __restrict__ key, const float* __restrict__ key_scale, int length)
{
    const int head = blockIdx.x, lane = threadIdx.x % 8, first = blockIdx.y * 128 + threadIdx.x / 8;
    const long long row = (long long)head * length;
    const int4 q = ((const int4*)(query + head * DEPTH))[lane];
    const float scale = query_scale[head];
    const int qs[4] = {q.x, q.y, q.z, q.w};
    float f[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        f[i] = byte_of(qs[i / 4], i % 4);
    }
    int4 k[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        k[j] = ((const int4*)(key + (row + first + 32 * j) * DEPTH))[lane];
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
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
