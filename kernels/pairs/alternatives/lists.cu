// lists: "Split the work further (rows across warps, split-K): 2,112 blocks fit at once". A list is a chain: step k + 1 begins where
// step k has ended, so no list can be split and there are no more threads than lists. What is left of the row is smaller blocks.
#include "alt.cuh"
#include "original/lists.cuh"

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int lists = 1 << 16, words = 8 << 20;
    float *x = p.make<float>(words), *out = p.make<float>(lists);
    uint32_t* idx = p.make<uint32_t>(words);
    auto of = [&](int threads) { return [=] { lists_one<<<lists / threads, threads>>>(idx, x, out, lists, 64); }; };
    p.run("lists", out, lists, 1, 0, [&](uint32_t s) { p.uniform(x, words, s); p.integers(idx, words, s, words); }, {
        {"lists_one", "before", of(128)},
        {"lists_four", "made:more-chains", [&] { lists_four<<<lists / 512, 128>>>(idx, x, out, lists, 64); }},
        {"lists_blocks_64", "more-blocks", of(64)},
        {"lists_blocks_32", "more-blocks", of(32)},
    });
}
