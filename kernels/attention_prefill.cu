// attention_prefill: causal attention of 4096 new queries over 2048 cached keys and the new ones, one head of 64, in FP32.
//
// Shows:      blocks of unequal length: the first sees 2080 keys, the last 6144, and each SM has one of them at most.
// Limiter:    the tail of the launch: an SM works two thirds of the time of the one with the longest block on average.
// Lever:      pair short with long blocks, or split the keys of long ones over blocks; whatever a unit does while blocks run.
// Shape:      queries = 4096, prefix = 2048, keys = 6144, head of 64 floats.
// Launch:     grid 128 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [queries * 64], const float* query [queries * 64], const float* key [keys * 64],
//             const float* value [keys * 64], unsigned prefix, float scale   (scale = 0.125)
// Result:     out[q] == sum over k <= prefix + q of softmax(scale * dot(query[q], key[k])) * value[k]

__global__ void __launch_bounds__(256) attention_prefill(float* __restrict__ out, const float* __restrict__ query,
                                                         const float* __restrict__ key, const float* __restrict__ value,
                                                         unsigned prefix, float scale)
{
    // Each warp has four queries; a lane has one key of the tile for the scores and two columns of the output.
    __shared__ float queries[32][64];
    __shared__ float keys[32][65];
    __shared__ float values[32][64];
    const unsigned lane = threadIdx.x % 32u;
    const unsigned first = threadIdx.x / 32u * 4u;
    for (unsigned at = threadIdx.x; at < 32u * 64u; at += 256u) {
        queries[at / 64u][at % 64u] = query[blockIdx.x * 32u * 64u + at] * scale;
    }
    float top[4], sum[4], left[4], right[4];
#pragma unroll
    for (unsigned q = 0; q < 4u; ++q) {
        top[q] = -INFINITY;
        sum[q] = left[q] = right[q] = 0.0f;
    }
    const unsigned visible = prefix + blockIdx.x * 32u;
    for (unsigned tile = 0; tile < visible + 32u; tile += 32u) {
        __syncthreads();
        for (unsigned at = threadIdx.x; at < 32u * 64u; at += 256u) {
            keys[at / 64u][at % 64u] = key[tile * 64u + at];
            values[at / 64u][at % 64u] = value[tile * 64u + at];
        }
        __syncthreads();
        float score[4] = {};
#pragma unroll 16
        for (unsigned d = 0; d < 64u; ++d) {
            const float component = keys[lane][d];
#pragma unroll
            for (unsigned q = 0; q < 4u; ++q) {
                score[q] += queries[first + q][d] * component;
            }
        }
#pragma unroll
        for (unsigned q = 0; q < 4u; ++q) {
            const float own = tile + lane <= visible + first + q ? score[q] : -INFINITY;
            float best = fmaxf(own, top[q]);
#pragma unroll
            for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
                best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, distance));
            }
            const float shrink = __expf(top[q] - best);
            score[q] = __expf(own - best);
            top[q] = best;
            sum[q] = sum[q] * shrink + score[q];
            left[q] *= shrink;
            right[q] *= shrink;
        }
#pragma unroll 8
        for (unsigned k = 0; k < 32u; ++k) {
            const float near = values[k][lane], far = values[k][lane + 32u];
#pragma unroll
            for (unsigned q = 0; q < 4u; ++q) {
                const float weight = __shfl_sync(0xffffffffu, score[q], k);
                left[q] += weight * near;
                right[q] += weight * far;
            }
        }
    }
#pragma unroll
    for (unsigned q = 0; q < 4u; ++q) {
        float total = sum[q];
#pragma unroll
        for (unsigned distance = 16u; distance > 0u; distance /= 2u) {
            total += __shfl_xor_sync(0xffffffffu, total, distance);
        }
        float* row = out + (blockIdx.x * 32u + first + q) * 64u;
        row[lane] = left[q] / total;
        row[lane + 32u] = right[q] / total;
    }
}
