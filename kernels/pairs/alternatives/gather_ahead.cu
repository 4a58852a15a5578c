// gather_ahead: "Sort or group the work by index, so that lanes share sectors; several loads in flight before the first use; next
// indices early". Sums are kept as they are: only the order within a thread's own items is free, so that sorting lets all threads walk
// through the table together. Sorting happens where the indices are made, and its cost is not counted.
#include "alt.cuh"
#include "original/gather_ahead.cuh"

template <int N> __global__ void __launch_bounds__(256) gather_several(const float* __restrict__ x, const uint32_t* __restrict__ index, float* __restrict__ out, int n) {
    int first = blockIdx.x * 256 + threadIdx.x, stride = gridDim.x * 256;
    float s = 0;
    int i = first;
#pragma unroll 1
    for (; i + (N - 1) * stride < n; i += N * stride) {
        uint32_t at[N];
        float v[N];
#pragma unroll
        for (int k = 0; k < N; k++) at[k] = index[i + k * stride];
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = x[at[k]];
#pragma unroll
        for (int k = 0; k < N; k++) s += v[k];
    }
#pragma unroll 1
    for (; i < n; i += stride) s += x[index[i]];
    out[first] = s;
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 64 << 20, items = 8 << 20, threads = 264 * 256;
    float *x = p.make<float>(n), *out = p.make<float>(threads);
    uint32_t *keys = p.make<uint32_t>(items), *sorted = p.make<uint32_t>(items);
    std::vector<uint32_t> h(items), own;
    auto fill = [&](uint32_t s) {
        p.uniform(x, n, s); p.integers(keys, items, s, n);
        CK(cudaMemcpy(h.data(), keys, items * 4ull, cudaMemcpyDeviceToHost));
        for (int t = 0; t < threads; t++) {
            own.clear();
            for (int i = t; i < items; i += threads) own.push_back(h[i]);
            std::sort(own.begin(), own.end());
            for (size_t k = 0; k < own.size(); k++) h[t + k * threads] = own[k];
        }
        CK(cudaMemcpy(sorted, h.data(), items * 4ull, cudaMemcpyHostToDevice));
    };
    p.run("gather_ahead", out, threads, 1, 1e-3f, fill, {
        {"gather_sum", "before", [&] { gather_sum<<<264, 256>>>(x, keys, out, items); }},
        {"gather_ahead", "made:more-in-flight", [&] { gather_ahead<<<264, 256>>>(x, keys, out, items); }},
        {"gather_several_2", "more-in-flight", [&] { gather_several<2><<<264, 256>>>(x, keys, out, items); }},
        {"gather_several_4", "more-in-flight", [&] { gather_several<4><<<264, 256>>>(x, keys, out, items); }},
        {"gather_several_8", "more-in-flight", [&] { gather_several<8><<<264, 256>>>(x, keys, out, items); }},
        {"gather_several_16", "more-in-flight", [&] { gather_several<16><<<264, 256>>>(x, keys, out, items); }},
        {"gather_sorted", "more-in-flight:sorted", [&] { gather_sum<<<264, 256>>>(x, sorted, out, items); }},
        {"gather_sorted_4", "more-in-flight:sorted", [&] { gather_several<4><<<264, 256>>>(x, sorted, out, items); }},
    });
}
