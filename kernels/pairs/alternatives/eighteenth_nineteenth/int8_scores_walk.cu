// int8_scores_walk: scores of keys of eight bits, a block walks over 512 keys, two tiles of 128 ahead of the present one under way by cp.async.
#include <cuda_pipeline.h>

#define DEPTH 128

// Four signed bytes, their sign bits turned: a byte under the exponent of 2^23 is a float.
__device__ __forceinline__ float byte_of(int word, int i)
{
    return __uint_as_float(__byte_perm((unsigned int)word ^ 0x80808080u, 0x4b000000u, 0x7650 + i)) - 8388736.0f;
}

#define STAGES 3
#define TILES 4

// A head to blockIdx.x, 512 keys to a block, eight lanes to a key; a lane reads what it copied itself.
extern "C" __global__ void __launch_bounds__(256) int8_scores_walk(float* __restrict__ out, const signed char* __restrict__ query, const float* __restrict__ query_scale, const signed char* __restrict__ key, const float* __restrict__ key_scale, int length)
{
    __shared__ int4 keys[STAGES][4][256];
    const int head = blockIdx.x, lane = threadIdx.x % 8, first = blockIdx.y * 128 * TILES + threadIdx.x / 8;
    const long long row = (long long)head * length;
    const auto fetch = [&](int tile) {
        if (tile < TILES) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                __pipeline_memcpy_async(&keys[tile % STAGES][j][threadIdx.x], (const int4*)(key + (row + first + 128 * tile + 32 * j) * DEPTH) + lane, 16);
            }
        }
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    const int4 q = ((const int4*)(query + head * DEPTH))[lane];
    const float scale = query_scale[head];
    const int qs[4] = {q.x, q.y, q.z, q.w};
    float f[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        f[i] = byte_of(qs[i / 4], i % 4);
    }
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
        fetch(tile + 2);
        float scales[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            scales[j] = key_scale[row + first + 128 * tile + 32 * j];
        }
        __pipeline_wait_prior(2);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int4 k = keys[tile % STAGES][j][threadIdx.x];
            const int ks[4] = {k.x, k.y, k.z, k.w};
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
                out[row + first + 128 * tile + 32 * j] = s * (scale * scales[j]);
            }
        }
    }
}
