// graph_attention_before: attention of nodes to their neighbours in a graph, heads of 64, a warp to a node, scores made anew for the largest,
// for the sum and for the weights.
__device__ __forceinline__ float score(float2 q, const float2* __restrict__ key, unsigned node, int lane)
{
    const float2 k = key[(long long)node * 32 + lane];
    float s = q.x * k.x + q.y * k.y;
#pragma unroll
    for (int d = 16; d; d /= 2) {
        s += __shfl_xor_sync(~0u, s, d);
    }
    return s * 0.125f;
}

extern "C" __global__ void __launch_bounds__(256) graph_attention_before(float2* __restrict__ out, const float2* __restrict__ query, const float2* __restrict__ key, const float2* __restrict__ value, const unsigned* __restrict__ offset, const unsigned* __restrict__ neighbour, int nodes)
{
    const int node = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (node >= nodes) {
        return;
    }
    const unsigned from = offset[node], to = offset[node + 1];
    const float2 q = query[(long long)node * 32 + lane];
    float most = -1e30f;
    for (unsigned e = from; e < to; ++e) {
        most = fmaxf(most, score(q, key, neighbour[e], lane));
    }
    float sum = 0.0f;
    for (unsigned e = from; e < to; ++e) {
        sum += __expf(score(q, key, neighbour[e], lane) - most);
    }
    const float inverse = to > from ? 1.0f / sum : 0.0f;
    float2 mix = make_float2(0.0f, 0.0f);
    for (unsigned e = from; e < to; ++e) {
        const unsigned other = neighbour[e];
        const float weight = __expf(score(q, key, other, lane) - most) * inverse;
        const float2 v = value[(long long)other * 32 + lane];
        mix.x += weight * v.x;
        mix.y += weight * v.y;
    }
    out[(long long)node * 32 + lane] = mix;
}
