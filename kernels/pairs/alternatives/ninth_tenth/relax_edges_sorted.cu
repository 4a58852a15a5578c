// relax_edges: "Sort or group the work by index, so that lanes share sectors". The kernel is that of before; its edges come sorted, which is not counted.
// The program prints what the others of alternatives print.
#include "../alt.cuh"
#include "../../tenth/relax_edges_before.cu"
#include "../../tenth/relax_edges_after.cu"

struct Edges { uint32_t *from, *to, *weight; };

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const uint32_t nodes = 1048576, ends = 65536, edges = 6291449;
    uint32_t *reached = p.make<uint32_t>(ends), *distance = p.make<uint32_t>(nodes);
    const auto list = [&] { return Edges{p.make<uint32_t>(edges), p.make<uint32_t>(edges), p.make<uint32_t>(edges)}; };
    const Edges given = list(), target = list(), both = list(), source = list();
    const auto take = [&](const uint32_t* on) { std::vector<uint32_t> v(edges); CK(cudaMemcpy(v.data(), on, edges * 4ull, cudaMemcpyDeviceToHost)); return v; };
    // places in order of a key, places of one key as they stood in `order`
    const auto sorted = [&](const std::vector<uint32_t>& key, const std::vector<uint32_t>& order, uint32_t keys) {
        std::vector<uint32_t> first(keys + 1, 0), to(edges);
        for (uint32_t e = 0; e < edges; e++) first[key[e] + 1]++;
        for (uint32_t k = 0; k < keys; k++) first[k + 1] += first[k];
        for (uint32_t e : order) to[first[key[e]]++] = e;
        return to;
    };
    const auto fill = [&](uint32_t seed) {
        p.integers(distance, nodes, seed, 1u << 30);
        p.integers(given.from, edges, seed + 10, nodes);
        p.integers(given.to, edges, seed + 20, ends);
        p.integers(given.weight, edges, seed + 30, 1u << 30);
        const std::vector<uint32_t> from = take(given.from), to = take(given.to), weight = take(given.weight);
        std::vector<uint32_t> order(edges), moved(edges);
        for (uint32_t e = 0; e < edges; e++) order[e] = e;
        const auto put = [&](const Edges& on, const std::vector<uint32_t>& by) {
            const auto one = [&](uint32_t* dst, const std::vector<uint32_t>& src) {
                for (uint32_t e = 0; e < edges; e++) moved[e] = src[by[e]];
                CK(cudaMemcpy(dst, moved.data(), edges * 4ull, cudaMemcpyHostToDevice));
            };
            one(on.from, from); one(on.to, to); one(on.weight, weight);
        };
        const std::vector<uint32_t> by_source = sorted(from, order, nodes);
        put(source, by_source);
        put(target, sorted(to, order, ends));
        put(both, sorted(to, by_source, ends));
    };
    std::vector<uint32_t> none(ends, 2147483647u);
    uint32_t* cleared = p.make<uint32_t>(ends);
    CK(cudaMemcpy(cleared, none.data(), ends * 4, cudaMemcpyHostToDevice));
    const auto clear = [&] { CK(cudaMemcpyAsync(reached, cleared, ends * 4, cudaMemcpyDeviceToDevice)); };
    const auto before = [&](const Edges& e) { relax_edges_before<<<1056, 256>>>(reached, distance, e.from, e.to, e.weight, edges); };
    p.run("relax_edges", (float*)reached, ends, 1e-30f, 0, fill, {
        {"relax_edges_before", "before", [&] { before(given); }},
        {"relax_edges_after", "made:fewer-atomics", [&] { relax_edges_after<<<1056, 256>>>(reached, distance, given.from, given.to, given.weight, edges); }},
        {"relax_edges_by_target", "sort-by-index", [&] { before(target); }},
        {"relax_edges_by_target_source", "sort-by-index", [&] { before(both); }},
        {"relax_edges_by_source", "sort-by-index", [&] { before(source); }},
    }, clear);
}
