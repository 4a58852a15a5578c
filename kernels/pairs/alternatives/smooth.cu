// smooth: "Double-buffer the tiles": the next tile is loaded while this one is used, in registers behind two buffers, or by cp.async in stages.
#include "alt.cuh"
#include "original/smooth.cuh"

__global__ void __launch_bounds__(256) smooth_ahead(const float* __restrict__ x, float* __restrict__ out, int tiles) {
    __shared__ float s[2][258];
    int t = threadIdx.x, side = 0;
    float own = 0, edge = 0;
    auto load = [&](int tile) {
        if (tile >= tiles) return;
        size_t i = (size_t)tile * 256 + t;
        own = x[i];
        if (t == 0) edge = tile ? x[i - 1] : 0;
        if (t == 255) edge = tile + 1 < tiles ? x[i + 1] : 0;
    };
    load(blockIdx.x);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, side ^= 1) {
        s[side][t + 1] = own;
        if (t == 0) s[side][0] = edge;
        if (t == 255) s[side][257] = edge;
        __syncthreads();
        load(tile + gridDim.x);
        out[(size_t)tile * 256 + t] = 0.25f * s[side][t] + 0.5f * s[side][t + 1] + 0.25f * s[side][t + 2];
    }
}
// STAGES buffers by cp.async, four bytes a lane, since a tile with its neighbours begins off a multiple of 16 bytes.
template <int STAGES> __global__ void __launch_bounds__(256) smooth_stages(const float* __restrict__ x, float* __restrict__ out, int tiles) {
    __shared__ float s[STAGES][258];
    int t = threadIdx.x;
    auto copy = [&](float* to, const float* from, bool there) {
        int bytes = there ? 4 : 0;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(there ? from : x), "r"(bytes) : "memory");
    };
    auto load = [&](int tile, int stage) {
        if (tile < tiles) {
            const float* i = x + (size_t)tile * 256 + t;
            copy(&s[stage][t + 1], i, true);
            if (t == 0) copy(&s[stage][0], i - 1, tile > 0);
            if (t == 255) copy(&s[stage][257], i + 1, tile + 1 < tiles);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int k = 0; k < STAGES - 1; k++) load(blockIdx.x + k * gridDim.x, k);
    int stage = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, stage = (stage + 1) % STAGES) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        load(tile + (STAGES - 1) * gridDim.x, (stage + STAGES - 1) % STAGES);
        out[(size_t)tile * 256 + t] = 0.25f * s[stage][t] + 0.5f * s[stage][t + 1] + 0.25f * s[stage][t + 2];
    }
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(n);
    p.run("smooth", out, n, 1, 1e-5f, [&](uint32_t s) { p.uniform(x, n, s); }, {
        {"smooth_single", "before", [&] { smooth_single<<<1056, 256>>>(x, out, n / 256); }},
        {"smooth_double", "made:fewer-barriers", [&] { smooth_double<<<1056, 256>>>(x, out, n / 256); }},
        {"smooth_ahead", "double-buffer", [&] { smooth_ahead<<<1056, 256>>>(x, out, n / 256); }},
        {"smooth_stages_2", "double-buffer", [&] { smooth_stages<2><<<1056, 256>>>(x, out, n / 256); }},
        {"smooth_stages_4", "double-buffer", [&] { smooth_stages<4><<<1056, 256>>>(x, out, n / 256); }},
        {"smooth_stages_8", "double-buffer", [&] { smooth_stages<8><<<1056, 256>>>(x, out, n / 256); }},
    });
}
