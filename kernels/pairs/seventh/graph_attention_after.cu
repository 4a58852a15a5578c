// graph_attention_after: attention of nodes to their neighbours in a graph, heads of 64, a warp to a node, one pass with a running largest.
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

extern "C" __global__ void __launch_bounds__(256) graph_attention_after(float2* __restrict__ out, const float2* __restrict__ query, const float2* __restrict__ key, const float2* __restrict__ value, const unsigned* __restrict__ offset, const unsigned* __restrict__ neighbour, int nodes)
{
    const int node = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (node >= nodes) {
        return;
    }
    const unsigned from = offset[node], to = offset[node + 1];
    const float2 q = query[(long long)node * 32 + lane];
    float most = -1e30f, sum = 0.0f;
    float2 mix = make_float2(0.0f, 0.0f);
    for (unsigned e = from; e < to; ++e) {
        const unsigned other = neighbour[e];
        const float2 v = value[(long long)other * 32 + lane];
        const float s = score(q, key, other, lane), top = fmaxf(most, s);
        const float old = __expf(most - top), weight = __expf(s - top);
        most = top;
        sum = sum * old + weight;
        mix.x = mix.x * old + weight * v.x;
        mix.y = mix.y * old + weight * v.y;
    }
    const float inverse = to > from ? 1.0f / sum : 0.0f;
    out[(long long)node * 32 + lane] = make_float2(mix.x * inverse, mix.y * inverse);
}
