// One pair: the same work by the kernel of before, by the one that was made of it, and by what the first row of its page asks for.
// Outputs are checked against before on two seeds; all versions are timed in turn, medians of twenty, L2 emptied before each.
//
//   ./x                  prints  pair, variant, action, ms before, ms variant, largest relative difference, ok; tabs between
//   ./x --skip VARIANT   leaves a version out (run.sh does so after one that broke the device)
//   ./x --profile        runs each version once between cudaProfilerStart and Stop
#pragma once
#include "../pair.cuh"
#include <unistd.h>

struct Version { const char* name; const char* action; std::function<void()> launch; std::function<void()> clear = nullptr; };

struct Alternatives {
    bool profile = false;
    std::vector<std::string> skipped;
    float* flush = nullptr;
    static constexpr size_t FLUSH = 64u << 20;

    Alternatives(int argc, char** argv) {
        for (int i = 1; i < argc; i++) {
            if (!strcmp(argv[i], "--profile")) profile = true;
            else if (!strcmp(argv[i], "--skip") && i + 1 < argc) skipped.push_back(argv[++i]);
        }
        CK(cudaMalloc(&flush, FLUSH * 4));
        CK(cudaMemset(flush, 0, FLUSH * 4));
    }
    template <class T> T* make(size_t n) { T* p; CK(cudaMalloc(&p, n * sizeof(T))); CK(cudaMemset(p, 0, n * sizeof(T))); return p; }
    void uniform(float* p, size_t n, uint32_t seed, float lo = -1, float hi = 1) { pair_harness::fill_uniform<<<1024, 256>>>(p, n, seed, lo, hi); CK(cudaGetLastError()); }
    void integers(uint32_t* p, size_t n, uint32_t seed, uint32_t below) { pair_harness::fill_integers<<<1024, 256>>>(p, n, seed, below); CK(cudaGetLastError()); }

    static void row(const char* pair, const Version& v, double before, double ms, double worst, const char* ok) {
        printf("%s\t%s\t%s\t%.5f\t%.5f\t%.2e\t%s\n", pair, v.name, v.action, before, ms, worst, ok);
        fflush(stdout);
    }
    // A launch that was refused leaves the device whole; anything else ends this process, and run.sh begins again without the version.
    bool refused(const char* pair, const Version& v) {
        cudaError_t launch = cudaGetLastError(), e = cudaDeviceSynchronize();
        if (launch == cudaSuccess && e == cudaSuccess) return false;
        row(pair, v, -1, -1, -1, cudaGetErrorName(launch != cudaSuccess ? launch : e));
        if (e != cudaSuccess) { fprintf(stderr, "FAILED %s\n", v.name); _exit(3); }
        return true;
    }

    // `out` is where all versions write n floats; the first version is before; a version may have a `clear` of its own.
    void run(const char* pair, float* out, size_t n, float scale, float tolerance, std::function<void(uint32_t)> fill, std::vector<Version> all, std::function<void()> clear = [] {}) {
        std::vector<Version> versions;
        for (auto& v : all) {
            if (!v.clear) v.clear = clear;
            if (std::find(skipped.begin(), skipped.end(), v.name) == skipped.end()) versions.push_back(v);
        }
        if (profile) {
            fill(1);
            for (auto& v : versions) {
                v.clear(); v.launch(); v.clear(); CK(cudaDeviceSynchronize());
                CK(cudaProfilerStart()); v.launch(); CK(cudaDeviceSynchronize()); CK(cudaProfilerStop());
            }
            return;
        }
        std::vector<float> worst(versions.size(), 0);
        std::vector<char> lost(versions.size(), 0);
        float *kept = make<float>(n), *found = make<float>(1);
        for (uint32_t seed = 1; seed <= 2; seed++) {
            fill(seed);
            CK(cudaDeviceSynchronize());
            for (size_t i = 0; i < versions.size(); i++) {
                if (lost[i]) continue;
                CK(cudaMemset(out, 0xff, n * 4)); versions[i].clear(); versions[i].launch();
                if (refused(pair, versions[i])) { lost[i] = 1; continue; }
                if (i == 0) CK(cudaMemcpy(kept, out, n * 4, cudaMemcpyDeviceToDevice));
                CK(cudaMemset(found, 0, 4));
                pair_harness::largest_difference<<<1024, 256>>>(kept, out, n, scale, found);
                float w; CK(cudaMemcpy(&w, found, 4, cudaMemcpyDeviceToHost));
                worst[i] = std::max(worst[i], w);
            }
        }
        CK(cudaFree(kept)); CK(cudaFree(found));
        if (versions.empty() || lost[0]) return;
        std::vector<std::vector<float>> times(versions.size());
        cudaEvent_t from, to; CK(cudaEventCreate(&from)); CK(cudaEventCreate(&to));
        for (int i = 0; i < 23; i++)
            for (size_t k = 0; k < versions.size(); k++) {
                if (lost[k]) continue;
                versions[k].clear(); pair_harness::sweep<<<1024, 256>>>(flush, FLUSH);
                CK(cudaEventRecord(from)); versions[k].launch(); CK(cudaEventRecord(to));
                CK(cudaEventSynchronize(to));
                float ms; CK(cudaEventElapsedTime(&ms, from, to));
                if (i >= 3) times[k].push_back(ms);
            }
        for (auto& t : times) std::sort(t.begin(), t.end());
        for (size_t k = 0; k < versions.size(); k++)
            if (!lost[k]) row(pair, versions[k], times[0][10], times[k][10], worst[k], worst[k] <= tolerance ? "yes" : "no");
    }
};
