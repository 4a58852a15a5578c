// selective_scan_tiles_16: scan of a selective state space, a thread to a channel; tiles of 16 steps in shared memory by cp.async, three under way.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#define STATES 16
#define TILE 16
#define STAGES 4

struct Tile {
    half x[TILE][128], d[TILE][128];
    float4 b[TILE][STATES / 4], o[TILE][STATES / 4];
};

// A thread to a channel, its sixteen states in registers.
extern "C" __global__ void __launch_bounds__(128) selective_scan_tiles_16(half* __restrict__ out, const half* __restrict__ in, const half* __restrict__ delta, const float* __restrict__ decay, const float4* __restrict__ input, const float4* __restrict__ output, int channels, int steps)
{
    __shared__ alignas(16) Tile tiles[STAGES];
    const int j = threadIdx.x, c = blockIdx.x * 128 + j;
    float a[STATES], h[STATES];
#pragma unroll
    for (int s = 0; s < STATES; ++s) {
        a[s] = decay[c * STATES + s] * -1.44269504f;
        h[s] = 0.0f;
    }
    const long long first = (long long)blockIdx.y * steps;
    const auto fetch = [&](int t) {
        if (t < steps) {
            Tile& tile = tiles[t / TILE % STAGES];
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                const int step = j / 16 + 8 * k, part = j % 16 * 8;
                const long long from = (first + t + step) * channels + blockIdx.x * 128 + part;
                __pipeline_memcpy_async(&tile.x[step][part], in + from, 16);
                __pipeline_memcpy_async(&tile.d[step][part], delta + from, 16);
            }
            const int word = j % 64;
            const float4* from = j < 64 ? input : output;
            __pipeline_memcpy_async((j < 64 ? &tile.b[0][0] : &tile.o[0][0]) + word, from + (first + t) * (STATES / 4) + word, 16);
        }
        __pipeline_commit();
    };
    for (int k = 0; k < STAGES - 1; ++k) {
        fetch(k * TILE);
    }
    long long at = first * channels + c;
    for (int t = 0; t < steps; t += TILE) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fetch(t + (STAGES - 1) * TILE);
        const Tile& tile = tiles[t / TILE % STAGES];
#pragma unroll 4
        for (int k = 0; k < TILE; ++k) {
            const float x = __half2float(tile.x[k][j]), d = __half2float(tile.d[k][j]);
            float y = 0.0f;
#pragma unroll
            for (int s = 0; s < STATES / 4; ++s) {
                const float4 bs = tile.b[k][s], os = tile.o[k][s];
                h[4 * s] = exp2f(d * a[4 * s]) * h[4 * s] + d * x * bs.x;
                h[4 * s + 1] = exp2f(d * a[4 * s + 1]) * h[4 * s + 1] + d * x * bs.y;
                h[4 * s + 2] = exp2f(d * a[4 * s + 2]) * h[4 * s + 2] + d * x * bs.z;
                h[4 * s + 3] = exp2f(d * a[4 * s + 3]) * h[4 * s + 3] + d * x * bs.w;
                y += h[4 * s] * os.x + h[4 * s + 1] * os.y + h[4 * s + 2] * os.z + h[4 * s + 3] * os.w;
            }
            out[at] = __float2half_rn(y);
            at += channels;
        }
    }
}
