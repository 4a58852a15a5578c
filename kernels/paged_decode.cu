// paged_decode: attention of one new token a sequence over keys and values in pages of 16 tokens, which a block table places.
//
// Shows:      one block of four warps for each sequence and head, a token a turn: page number, key, dot product by shuffles,
//             rescaled sum.
// Limiter:    latency of device memory: a warp has a key and a value of 256 bytes in flight, and 512 blocks put 16 warps on an SM,
//             so that 8 KiB are in flight where bandwidth times latency asks for 25.
// Lever:      several tokens a turn (four keys in flight for each warp), or the keys of a sequence split over blocks.
// Shape:      sequences = 64, heads = 8, tokens = 2048, 128 values in FP16, pages = 8192 (256 MiB of keys, 256 MiB of values).
// Launch:     grid 8 x 64 x 1, block 128 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [64 * 8 * 128], const float* query [64 * 8 * 128], const uint2* keys [pages * 8 * 16 * 32],
//             const uint2* values [pages * 8 * 16 * 32], const unsigned* table [64 * 128], unsigned tokens
// Result:     out == softmax(query · keys / sqrt(128)) · values, token t of sequence s in page table[s][t / 16] at t % 16

#include <cuda_fp16.h>

__device__ float4 unpacked(uint2 packed)
{
    const float2 low = __half22float2(*reinterpret_cast<const __half2*>(&packed.x));
    const float2 high = __half22float2(*reinterpret_cast<const __half2*>(&packed.y));
    return make_float4(low.x, low.y, high.x, high.y);
}

__global__ void paged_decode(float* __restrict__ out, const float* __restrict__ query, const uint2* __restrict__ keys,
                             const uint2* __restrict__ values, const unsigned* __restrict__ table, unsigned tokens)
{
    __shared__ float4 sums[4][32];
    __shared__ float tops[4], weights[4];
    const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, head = blockIdx.x, sequence = blockIdx.y;
    const float4 q = reinterpret_cast<const float4*>(query)[(sequence * 8u + head) * 32u + lane];
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float top = -INFINITY, weight = 0.0f;
#pragma unroll 1
    for (unsigned token = warp; token < tokens; token += 4u) {
        const unsigned page = table[sequence * 128u + token / 16u];
        const unsigned at = ((page * 8u + head) * 16u + token % 16u) * 32u + lane;
        const float4 k = unpacked(keys[at]);  // limiter
        const float4 v = unpacked(values[at]);
        float score = q.x * k.x + q.y * k.y + q.z * k.z + q.w * k.w;
#pragma unroll
        for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
            score += __shfl_xor_sync(0xffffffffu, score, distance);
        }
        score *= 0.08838834764f;
        const float before = top;
        top = fmaxf(top, score);
        const float scale = __expf(before - top), share = __expf(score - top);
        weight = weight * scale + share;
        sum = make_float4(sum.x * scale + share * v.x, sum.y * scale + share * v.y, sum.z * scale + share * v.z,
                          sum.w * scale + share * v.w);
    }
    sums[warp][lane] = sum;
    if (lane == 0u) {
        tops[warp] = top;
        weights[warp] = weight;
    }
    __syncthreads();
    const float highest = fmaxf(fmaxf(tops[0], tops[1]), fmaxf(tops[2], tops[3]));
    float total = 0.0f, result = 0.0f;
#pragma unroll
    for (unsigned w = 0; w < 4u; ++w) {
        const float scale = __expf(tops[w] - highest);
        total += weights[w] * scale;
        result += reinterpret_cast<const float*>(sums[w])[threadIdx.x] * scale;
    }
    out[(sequence * 8u + head) * 128u + threadIdx.x] = result / total;
}
