// int8_scores_after: scores of one query of each head against cached keys of eight bits, a scale to each key.
#define DEPTH 128

// A head to blockIdx.x, 128 keys to a block, eight lanes to a key.
extern "C" __global__ void __launch_bounds__(256) int8_scores_after(float* __restrict__ out, const signed char* __restrict__ query, const float* __restrict__ query_scale, const signed char* __restrict__ key, const float* __restrict__ key_scale, int length)
{
    const int head = blockIdx.x, lane = threadIdx.x % 8, first = blockIdx.y * 128 + threadIdx.x / 8;
    const long long row = (long long)head * length;
    const int4 q = ((const int4*)(query + head * DEPTH))[lane];
    const float scale = query_scale[head];
    int4 k[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        k[j] = ((const int4*)(key + (row + first + 32 * j) * DEPTH))[lane];
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        int s = __dp4a(k[j].x, q.x, __dp4a(k[j].y, q.y, __dp4a(k[j].z, q.z, __dp4a(k[j].w, q.w, 0))));
#pragma unroll
        for (int d = 4; d > 0; d /= 2) {
            s += __shfl_xor_sync(0xffffffffu, s, d);
        }
        if (lane == 0) {
            out[row + first + 32 * j] = s * (scale * key_scale[row + first + 32 * j]);
        }
    }
}
