// gather_index: "Sort or group the work by index, so that lanes share sectors; several loads in flight before the first use; next
// indices early". Indices stay at 64 bits. Sorting happens where the indices are made, and its cost is not counted.
#include "alt.cuh"
#include "original/gather_index.cuh"
#include <numeric>

template <int N> __global__ void __launch_bounds__(256) gather_ahead(const float* __restrict__ x, const long long* __restrict__ idx, float* __restrict__ out, int n) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    long long at[N];
    float v[N];
#pragma unroll
    for (int k = 0; k < N; k++) at[k] = idx[i + 256 * k];
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = x[at[k]];
#pragma unroll
    for (int k = 0; k < N; k++) out[i + 256 * k] = v[k];
}
__global__ void __launch_bounds__(256) gather_vectors(const float* __restrict__ x, const longlong2* __restrict__ idx, float4* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    longlong2 a = idx[2 * i], b = idx[2 * i + 1];
    out[i] = make_float4(x[a.x], x[a.y], x[b.x], x[b.y]);
}
// In the order of the index: the loads share sectors, the stores do not.
__global__ void __launch_bounds__(256) gather_sorted(const float* __restrict__ x, const long long* __restrict__ idx, const uint32_t* __restrict__ place, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[place[i]] = x[idx[i]];
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int count = 16 << 20;
    float *x = p.make<float>(1 << 20), *out = p.make<float>(count);
    uint32_t *idx = p.make<uint32_t>(count), *place = p.make<uint32_t>(count);
    long long *wide = p.make<long long>(count), *sorted = p.make<long long>(count);
    std::vector<uint32_t> h(count), start((1 << 20) + 1), order(count);
    std::vector<long long> keys(count);
    auto fill = [&](uint32_t s) {
        p.uniform(x, 1 << 20, s);
        p.integers(idx, count, s, 1u << 20);
        CK(cudaMemset(wide, 0, count * 8ull)); CK(cudaMemcpy2D(wide, 8, idx, 4, 4, count, cudaMemcpyDeviceToDevice));
        CK(cudaMemcpy(h.data(), idx, count * 4ull, cudaMemcpyDeviceToHost));
        std::fill(start.begin(), start.end(), 0u);
        for (uint32_t k : h) start[k + 1]++;
        std::partial_sum(start.begin(), start.end(), start.begin());
        for (int i = 0; i < count; i++) { uint32_t at = start[h[i]]++; order[at] = i; keys[at] = h[i]; }
        CK(cudaMemcpy(place, order.data(), count * 4ull, cudaMemcpyHostToDevice));
        CK(cudaMemcpy(sorted, keys.data(), count * 8ull, cudaMemcpyHostToDevice));
    };
    p.run("gather_index", out, count, 1e-3f, 0, fill, {
        {"gather_wide_index", "before", [&] { gather_wide_index<<<count / 256, 256>>>(x, wide, out, count); }},
        {"gather_narrow_index", "made:fewer-bytes", [&] { gather_narrow_index<<<count / 256, 256>>>(x, (int*)idx, out, count); }},
        {"gather_ahead_2", "more-in-flight", [&] { gather_ahead<2><<<count / 512, 256>>>(x, wide, out, count); }},
        {"gather_ahead_4", "more-in-flight", [&] { gather_ahead<4><<<count / 1024, 256>>>(x, wide, out, count); }},
        {"gather_ahead_8", "more-in-flight", [&] { gather_ahead<8><<<count / 2048, 256>>>(x, wide, out, count); }},
        {"gather_vectors", "more-in-flight", [&] { gather_vectors<<<count / 1024, 256>>>(x, (longlong2*)wide, (float4*)out, count); }},
        {"gather_sorted", "more-in-flight:sorted", [&] { gather_sorted<<<count / 256, 256>>>(x, sorted, place, out, count); }},
    });
}
