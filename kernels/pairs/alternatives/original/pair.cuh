// One pair: the same work before and after one change, checked on two seeds and timed in turn.
//
//   ./pairs_x            prints  name <tab> ms before <tab> ms after <tab> largest relative difference
//   ./pairs_x --profile  runs each version once between cudaProfilerStart and Stop
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

extern "C" cudaError_t CUDARTAPI cudaProfilerStart(void);
extern "C" cudaError_t CUDARTAPI cudaProfilerStop(void);

#define CK(x)                                                                                      \
    do {                                                                                           \
        cudaError_t e_ = (x);                                                                      \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

namespace pair_harness {

__global__ void fill_uniform(float* p, size_t n, uint32_t seed, float lo, float hi) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t x = (uint32_t)i * 2654435761u ^ seed * 0x9E3779B9u;
        x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
        p[i] = lo + (hi - lo) * (x >> 8) * (1.0f / 16777216.0f);
    }
}
__global__ void fill_integers(uint32_t* p, size_t n, uint32_t seed, uint32_t below) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t x = (uint32_t)i * 2246822519u ^ seed * 0x85EBCA6Bu;
        x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
        p[i] = (uint32_t)(((uint64_t)x * below) >> 32);
    }
}
__global__ void sweep(float* p, size_t n) {
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += p[i];
    if (s == 12345.678f) p[0] = s;
}
__global__ void largest_difference(const float* a, const float* b, size_t n, float scale, float* out) {
    float worst = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float d = fabsf(a[i] - b[i]) / (fabsf(a[i]) + scale);
        if (!(d <= 1e30f)) d = 1e30f;
        worst = fmaxf(worst, d);
    }
    atomicMax((int*)out, __float_as_int(worst));
}

} // namespace pair_harness

struct Pairs {
    bool profile = false;
    std::string only;
    float* flush = nullptr;
    static constexpr size_t FLUSH = 64u << 20;

    Pairs(int argc, char** argv) {
        for (int i = 1; i < argc; i++) {
            if (!strcmp(argv[i], "--profile")) profile = true;
            else only = argv[i];
        }
        CK(cudaMalloc(&flush, FLUSH * 4));
        CK(cudaMemset(flush, 0, FLUSH * 4));
    }
    template <class T> T* make(size_t n) { T* p; CK(cudaMalloc(&p, n * sizeof(T))); CK(cudaMemset(p, 0, n * sizeof(T))); return p; }
    void uniform(float* p, size_t n, uint32_t seed, float lo = -1, float hi = 1) { pair_harness::fill_uniform<<<1024, 256>>>(p, n, seed, lo, hi); CK(cudaGetLastError()); }
    void integers(uint32_t* p, size_t n, uint32_t seed, uint32_t below) { pair_harness::fill_integers<<<1024, 256>>>(p, n, seed, below); CK(cudaGetLastError()); }

    // `out` is where both versions write n floats; `fill` makes the inputs of a seed; `clear` what a launch needs cleared.
    void run(const char* name, float* out, size_t n, float scale, std::function<void(uint32_t)> fill,
             std::function<void()> before, std::function<void()> after, std::function<void()> clear = [] {}) {
        if (!only.empty() && only != name) return;
        float worst = 0;
        if (!profile) {
            float* kept = make<float>(n);
            float* found = make<float>(1);
            for (uint32_t seed = 1; seed <= 2; seed++) {
                fill(seed);
                CK(cudaMemset(out, 0xff, n * 4)); clear(); before(); CK(cudaGetLastError());
                CK(cudaMemcpy(kept, out, n * 4, cudaMemcpyDeviceToDevice));
                CK(cudaMemset(out, 0xff, n * 4)); clear(); after(); CK(cudaGetLastError());
                CK(cudaMemset(found, 0, 4));
                pair_harness::largest_difference<<<1024, 256>>>(kept, out, n, scale, found);
                float w; CK(cudaMemcpy(&w, found, 4, cudaMemcpyDeviceToHost));
                worst = std::max(worst, w);
            }
            CK(cudaFree(kept)); CK(cudaFree(found));
            std::vector<float> times[2];
            cudaEvent_t from, to; CK(cudaEventCreate(&from)); CK(cudaEventCreate(&to));
            for (int i = 0; i < 23; i++) for (int side = 0; side < 2; side++) {
                clear(); pair_harness::sweep<<<1024, 256>>>(flush, FLUSH);
                CK(cudaEventRecord(from)); if (side) after(); else before(); CK(cudaEventRecord(to));
                CK(cudaEventSynchronize(to));
                float ms; CK(cudaEventElapsedTime(&ms, from, to));
                if (i >= 3) times[side].push_back(ms);
            }
            for (auto& t : times) std::sort(t.begin(), t.end());
            printf("%s\t%.5f\t%.5f\t%.2e\n", name, times[0][10], times[1][10], worst);
            fflush(stdout);
        } else {
            fill(1); clear(); before(); clear(); after(); clear(); CK(cudaDeviceSynchronize());
            CK(cudaProfilerStart()); before(); CK(cudaDeviceSynchronize()); CK(cudaProfilerStop());
            clear(); CK(cudaDeviceSynchronize());
            CK(cudaProfilerStart()); after(); CK(cudaDeviceSynchronize()); CK(cudaProfilerStop());
        }
    }
};
