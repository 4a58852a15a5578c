// table_hints: "Sort or group the work by index, so that lanes share sectors; several loads in flight before the first use; next
// indices early". Sorting happens where the indices are made, and its cost is not counted.
#include "alt.cuh"
#include "original/table_hints.cuh"
#include <numeric>

template <int N> __global__ void __launch_bounds__(256) table_ahead(const float* __restrict__ table, const uint32_t* __restrict__ index, float* __restrict__ out, int n) {
    int i = blockIdx.x * (256 * N) + threadIdx.x;
    uint32_t at[N];
    float v[N];
#pragma unroll
    for (int k = 0; k < N; k++) at[k] = index[i + 256 * k];
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = table[at[k]];
#pragma unroll
    for (int k = 0; k < N; k++) out[i + 256 * k] = v[k] * 2.0f;
}
__global__ void __launch_bounds__(256) table_vectors(const float* __restrict__ table, const uint4* __restrict__ index, float4* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    uint4 at = index[i];
    float4 v = make_float4(table[at.x], table[at.y], table[at.z], table[at.w]);
    out[i] = make_float4(v.x * 2, v.y * 2, v.z * 2, v.w * 2);
}
// Resident blocks whose next index is loaded while this one is used.
__global__ void __launch_bounds__(256) table_early(const float* __restrict__ table, const uint32_t* __restrict__ index, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, step = gridDim.x * 256;
    uint32_t at = i < n ? index[i] : 0;
#pragma unroll 1
    for (; i < n; i += step) {
        uint32_t next = i + step < n ? index[i + step] : 0;
        out[i] = table[at] * 2.0f;
        at = next;
    }
}
// In the order of the index: the loads share sectors, the stores do not.
__global__ void __launch_bounds__(256) table_sorted(const float* __restrict__ table, const uint32_t* __restrict__ index, const uint32_t* __restrict__ place, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[place[i]] = table[index[i]] * 2.0f;
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20, entries = 6 << 20;
    float *x = p.make<float>(entries), *out = p.make<float>(n);
    uint32_t *keys = p.make<uint32_t>(n), *place = p.make<uint32_t>(n), *sorted = p.make<uint32_t>(n);
    std::vector<uint32_t> h(n), order(n), by(n), start(entries + 1);
    auto fill = [&](uint32_t s) {
        p.uniform(x, entries, s); p.integers(keys, n, s, entries);
        CK(cudaMemcpy(h.data(), keys, n * 4ull, cudaMemcpyDeviceToHost));
        std::fill(start.begin(), start.end(), 0u);
        for (uint32_t k : h) start[k + 1]++;
        std::partial_sum(start.begin(), start.end(), start.begin());
        for (int i = 0; i < n; i++) { uint32_t at = start[h[i]]++; order[at] = i; by[at] = h[i]; }
        CK(cudaMemcpy(place, order.data(), n * 4ull, cudaMemcpyHostToDevice));
        CK(cudaMemcpy(sorted, by.data(), n * 4ull, cudaMemcpyHostToDevice));
    };
    p.run("table_hints", out, n, 1e-3f, 0, fill, {
        {"table_plain", "before", [&] { table_plain<<<n / 256, 256>>>(x, keys, out, n); }},
        {"table_hinted", "made:fewer-bytes", [&] { table_hinted<<<n / 256, 256>>>(x, keys, out, n); }},
        {"table_ahead_2", "more-in-flight", [&] { table_ahead<2><<<n / 512, 256>>>(x, keys, out, n); }},
        {"table_ahead_4", "more-in-flight", [&] { table_ahead<4><<<n / 1024, 256>>>(x, keys, out, n); }},
        {"table_ahead_8", "more-in-flight", [&] { table_ahead<8><<<n / 2048, 256>>>(x, keys, out, n); }},
        {"table_vectors", "more-in-flight", [&] { table_vectors<<<n / 1024, 256>>>(x, (uint4*)keys, (float4*)out, n); }},
        {"table_early", "more-in-flight:early", [&] { table_early<<<1056, 256>>>(x, keys, out, n); }},
        {"table_sorted", "more-in-flight:sorted", [&] { table_sorted<<<n / 256, 256>>>(x, sorted, place, out, n); }},
    });
}
