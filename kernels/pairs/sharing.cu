// Pairs on shared memory, its banks, barriers, fences and what lanes read at one address. Stated in stated.toml before they were measured.
#include "pair.cuh"

// A Walsh-Hadamard transform of 2,048 values in shared memory, in order, then with a word of padding in each row of 32.
template <bool PADDED> __device__ __forceinline__ void hadamard(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float s[2048 + 64];
    auto at = [](int i) { return PADDED ? i + (i >> 5) : i; };
    size_t base = (size_t)blockIdx.x * 2048;
    for (int k = 0; k < 8; k++) { int i = threadIdx.x + 256 * k; s[at(i)] = x[base + i]; }
    __syncthreads();
#pragma unroll
    for (int h = 1; h < 2048; h <<= 1) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int q = threadIdx.x + 256 * k, i = (q & ~(h - 1)) * 2 + (q & (h - 1));
            float a = s[at(i)], b = s[at(i + h)];
            s[at(i)] = a + b;
            s[at(i + h)] = a - b;
        }
        __syncthreads();
    }
    for (int k = 0; k < 8; k++) { int i = threadIdx.x + 256 * k; out[base + i] = s[at(i)]; }
}
__global__ void __launch_bounds__(256) hadamard_plain(const float* __restrict__ x, float* __restrict__ out) { hadamard<false>(x, out); }
__global__ void __launch_bounds__(256) hadamard_padded(const float* __restrict__ x, float* __restrict__ out) { hadamard<true>(x, out); }

// Norms of four neighbouring values behind a header of one word: all lanes begin at the first, then each eighth of a warp at another one.
template <bool TURNED> __device__ __forceinline__ void quads(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float s[1025];
    size_t base = (size_t)blockIdx.x * 1024;
    if (threadIdx.x == 0) s[0] = 1.0f;
    for (int k = 0; k < 4; k++) s[1 + threadIdx.x + 256 * k] = x[base + threadIdx.x + 256 * k];
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) { int e = TURNED ? (k + threadIdx.x / 8) & 3 : k; float q = s[1 + threadIdx.x * 4 + e]; v += q * q; }
    out[(size_t)blockIdx.x * 256 + threadIdx.x] = sqrtf(v) * s[0];
}
__global__ void __launch_bounds__(256) quads_in_order(const float* __restrict__ x, float* __restrict__ out) { quads<false>(x, out); }
__global__ void __launch_bounds__(256) quads_turned(const float* __restrict__ x, float* __restrict__ out) { quads<true>(x, out); }

// Lanes of a warp exchange values through shared memory 32 times: a barrier of the block each time, then one of the warp.
template <bool WARP> __device__ __forceinline__ void exchange(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float s[1024];
    int t = threadIdx.x, base = t & ~31, lane = t & 31;
    float v = x[(size_t)blockIdx.x * 1024 + t];
#pragma unroll 1
    for (int round = 0; round < 32; round++) {
        s[t] = v;
        if (WARP) __syncwarp(); else __syncthreads();
        v = 0.5f * (s[base + (lane * 5 + round & 31)] + s[base + (lane * 3 + 7 & 31)]) + v * 0.25f;
        if (WARP) __syncwarp(); else __syncthreads();
    }
    out[(size_t)blockIdx.x * 1024 + t] = v;
}
__global__ void __launch_bounds__(1024) exchange_block(const float* __restrict__ x, float* __restrict__ out) { exchange<false>(x, out); }
__global__ void __launch_bounds__(1024) exchange_warp(const float* __restrict__ x, float* __restrict__ out) { exchange<true>(x, out); }

// A stencil of three over tiles of 256: one buffer and two barriers a tile, then two buffers and one.
template <int BUFFERS> __device__ __forceinline__ void smooth(const float* __restrict__ x, float* __restrict__ out, int tiles) {
    __shared__ float s[BUFFERS][258];
    int t = threadIdx.x, side = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        size_t i = (size_t)tile * 256 + t;
        s[side][t + 1] = x[i];
        if (t == 0) s[side][0] = tile ? x[i - 1] : 0;
        if (t == 255) s[side][257] = tile + 1 < tiles ? x[i + 1] : 0;
        __syncthreads();
        out[i] = 0.25f * s[side][t] + 0.5f * s[side][t + 1] + 0.25f * s[side][t + 2];
        if (BUFFERS == 1) __syncthreads(); else side ^= 1;
    }
}
__global__ void __launch_bounds__(256) smooth_single(const float* __restrict__ x, float* __restrict__ out, int tiles) { smooth<1>(x, out, tiles); }
__global__ void __launch_bounds__(256) smooth_double(const float* __restrict__ x, float* __restrict__ out, int tiles) { smooth<2>(x, out, tiles); }

// A recurrence over neighbours that leaves its trace in memory: behind each step a fence of the device, then the barrier alone.
template <bool FENCED> __device__ __forceinline__ void relax(const float* __restrict__ x, float* __restrict__ trace) {
    __shared__ float s[2][256];
    int t = threadIdx.x;
    float v = x[(size_t)blockIdx.x * 256 + t];
#pragma unroll 1
    for (int step = 0; step < 32; step++) {
        s[step & 1][t] = v;
        trace[((size_t)step * gridDim.x + blockIdx.x) * 256 + t] = v;
        if (FENCED) __threadfence();
        __syncthreads();
        v = 0.5f * v + 0.25f * (s[step & 1][(t + 1) & 255] + s[step & 1][(t + 255) & 255]);
    }
}
__global__ void __launch_bounds__(256) relax_fenced(const float* __restrict__ x, float* __restrict__ trace) { relax<true>(x, trace); }
__global__ void __launch_bounds__(256) relax_barrier(const float* __restrict__ x, float* __restrict__ trace) { relax<false>(x, trace); }

// Four sums of powers with weights that all lanes read at one address: from four rows, then from rows of four.
template <bool WIDE> __device__ __forceinline__ void moments(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ out) {
    __shared__ __align__(16) float s[1024];
    for (int i = threadIdx.x; i < 1024; i += 256) s[WIDE ? (i % 256) * 4 + i / 256 : i] = weight[i];
    __syncthreads();
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float v = x[i], power = 1, a = 0, b = 0, c = 0, d = 0;
#pragma unroll 1
    for (int k = 0; k < 256; k++) {
        float4 w = WIDE ? *(const float4*)(s + 4 * k) : make_float4(s[k], s[256 + k], s[512 + k], s[768 + k]);
        a += w.x * power; b += w.y * power; c += w.z * power; d += w.w * power;
        power *= v;
    }
    out[i] = a + b * c + d;
}
__global__ void __launch_bounds__(256) moments_rows(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ out) { moments<false>(x, weight, out); }
__global__ void __launch_bounds__(256) moments_fours(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ out) { moments<true>(x, weight, out); }

// Clenshaw's recurrence over 96 coefficients that all lanes read at one address: from constant memory, then from shared memory.
__constant__ float coefficients[96];
template <bool SHARED> __device__ __forceinline__ void clenshaw(const float4* __restrict__ x, float4* __restrict__ out) {
    __shared__ float s[96];
    if (SHARED) {
        if (threadIdx.x < 96) s[threadIdx.x] = coefficients[threadIdx.x];
        __syncthreads();
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    float in[4] = {v.x, v.y, v.z, v.w}, one[4] = {}, two[4] = {};
#pragma unroll
    for (int k = 95; k > 0; k--) {
        float c = SHARED ? s[k] : coefficients[k];
#pragma unroll
        for (int e = 0; e < 4; e++) { float y = 2 * in[e] * one[e] - two[e] + c; two[e] = one[e]; one[e] = y; }
    }
    for (int e = 0; e < 4; e++) one[e] = in[e] * one[e] - two[e] + coefficients[0];
    out[i] = make_float4(one[0], one[1], one[2], one[3]);
}
__global__ void __launch_bounds__(256) clenshaw_constant(const float4* __restrict__ x, float4* __restrict__ out) { clenshaw<false>(x, out); }
__global__ void __launch_bounds__(256) clenshaw_shared(const float4* __restrict__ x, float4* __restrict__ out) { clenshaw<true>(x, out); }

// The nearest of 4,096 points, which all lanes read at one address: from the cache, then from tiles in shared memory.
__device__ __forceinline__ float nearer(float best, float4 q, float4 p) { float a = q.x - p.x, b = q.y - p.y, c = q.z - p.z; return fminf(best, a * a + b * b + c * c + p.w); }
__global__ void __launch_bounds__(256) nearest_cached(const float4* __restrict__ query, const float4* __restrict__ point, float* __restrict__ out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 q = query[i];
    float best = 1e30f;
#pragma unroll 8
    for (int k = 0; k < 4096; k++) best = nearer(best, q, point[k]);
    out[i] = best;
}
__global__ void __launch_bounds__(256) nearest_tiles(const float4* __restrict__ query, const float4* __restrict__ point, float* __restrict__ out) {
    __shared__ float4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 q = query[i];
    float best = 1e30f;
    for (int from = 0; from < 4096; from += 256) {
        __syncthreads();
        tile[threadIdx.x] = point[from + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) best = nearer(best, q, tile[k]);
    }
    out[i] = best;
}

int main(int argc, char** argv) {
    Pairs p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *weight = p.make<float>(16384), *out = p.make<float>(n);
    auto one = [&](uint32_t s) {
        p.uniform(x, n, s); p.uniform(weight, 16384, s + 5);
        CK(cudaMemcpyToSymbol(coefficients, weight, sizeof(coefficients), 0, cudaMemcpyDeviceToDevice));
    };
    p.run("hadamard", out, n, 1, one, [&] { hadamard_plain<<<n / 2048, 256>>>(x, out); }, [&] { hadamard_padded<<<n / 2048, 256>>>(x, out); });
    p.run("quads", out, n / 4, 1, one, [&] { quads_in_order<<<n / 1024, 256>>>(x, out); }, [&] { quads_turned<<<n / 1024, 256>>>(x, out); });
    p.run("exchange", out, n / 4, 1, one, [&] { exchange_block<<<n / 4096, 1024>>>(x, out); }, [&] { exchange_warp<<<n / 4096, 1024>>>(x, out); });
    p.run("smooth", out, n, 1, one, [&] { smooth_single<<<1056, 256>>>(x, out, n / 256); }, [&] { smooth_double<<<1056, 256>>>(x, out, n / 256); });
    p.run("relax", out, n, 1, one, [&] { relax_fenced<<<n / 8192, 256>>>(x, out); }, [&] { relax_barrier<<<n / 8192, 256>>>(x, out); });
    p.run("moments", out, n / 16, 1, one, [&] { moments_rows<<<n / 4096, 256>>>(x, weight, out); }, [&] { moments_fours<<<n / 4096, 256>>>(x, weight, out); });
    p.run("clenshaw", out, n, 1, one, [&] { clenshaw_constant<<<n / 1024, 256>>>((float4*)x, (float4*)out); }, [&] { clenshaw_shared<<<n / 1024, 256>>>((float4*)x, (float4*)out); });
    p.run("nearest", out, 528 * 256, 1, one, [&] { nearest_cached<<<528, 256>>>((float4*)x, (float4*)weight, out); }, [&] { nearest_tiles<<<528, 256>>>((float4*)x, (float4*)weight, out); });
}
