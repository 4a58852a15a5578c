// probe: "Sort or group the work by index, so that lanes share sectors; several loads in flight before the first use". A thread has 32
// loads in flight already. Addresses are a hash of the key: sorting by the key groups nothing, sorting by the hash does, and then by
// chance for all 32 probes, since the hash is linear. Sorting happens where the keys are made, and its cost is not counted.
#include "alt.cuh"
#include "original/probe.cuh"
#include <numeric>

__global__ void __launch_bounds__(1024) probe_placed(const float* __restrict__ table, const uint32_t* __restrict__ keys, const uint32_t* __restrict__ place, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t key = keys[i], to = place[i];
    float v[32], s = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) v[k] = table[(key + k * 0x9E3779B9u) * 0x85EBCA6Bu >> 7];
#pragma unroll
    for (int k = 0; k < 32; k++) s += v[k] * v[(k * 5 + 3) % 32];
    out[to] = s;
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20, count = 1 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(count);
    uint32_t *keys = p.make<uint32_t>(count), *by_key = p.make<uint32_t>(count), *key_place = p.make<uint32_t>(count), *by_hash = p.make<uint32_t>(count), *hash_place = p.make<uint32_t>(count);
    std::vector<uint32_t> h(count), order(count), moved(count);
    auto sorted = [&](uint32_t factor, uint32_t* to, uint32_t* place) {
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return h[a] * factor < h[b] * factor; });
        for (int i = 0; i < count; i++) moved[i] = h[order[i]];
        CK(cudaMemcpy(to, moved.data(), count * 4, cudaMemcpyHostToDevice)); CK(cudaMemcpy(place, order.data(), count * 4, cudaMemcpyHostToDevice));
    };
    auto fill = [&](uint32_t s) {
        p.uniform(x, n, s); p.integers(keys, count, s, ~0u);
        CK(cudaMemcpy(h.data(), keys, count * 4, cudaMemcpyDeviceToHost));
        sorted(1, by_key, key_place); sorted(0x85EBCA6Bu, by_hash, hash_place);
    };
    p.run("probe", out, count, 1, 1e-5f, fill, {
        {"probe_large", "before", [&] { probe_large<<<1024, 1024>>>(x, keys, out); }},
        {"probe_small", "made:more-warps", [&] { probe_small<<<4096, 256>>>(x, keys, out); }},
        {"probe_by_key", "more-in-flight:sorted", [&] { probe_placed<<<1024, 1024>>>(x, by_key, key_place, out); }},
        {"probe_by_hash", "more-in-flight:sorted", [&] { probe_placed<<<1024, 1024>>>(x, by_hash, hash_place, out); }},
    });
}
