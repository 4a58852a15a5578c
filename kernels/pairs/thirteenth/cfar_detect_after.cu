// cfar_detect_after: constant false alarm rate of a radar: each range cell over the mean of its training cells, two guard cells a side left out.
#define TRAIN 32
#define GUARD 2
#define HALO (TRAIN + GUARD)
#define TILE 1024

// Sums from the front of a stretch of 1,024 cells and its edges; a window is the difference of two of them.
extern "C" __global__ void __launch_bounds__(288) cfar_detect_after(float* __restrict__ out, const float* __restrict__ power, int cells)
{
    __shared__ float before[288 * 4 + 1];
    __shared__ float total[9];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int first = blockIdx.x * TILE - HALO;
    const float* line = power + (long long)blockIdx.y * cells;
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int c = first + 4 * t + k;
        v[k] = c >= 0 && c < cells ? line[c] : 0.0f;
    }
    v[1] += v[0];
    v[2] += v[1];
    v[3] += v[2];
    float up = v[3];
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const float other = __shfl_up_sync(0xffffffffu, up, step);
        if (lane >= step) {
            up += other;
        }
    }
    if (lane == 31) {
        total[warp] = up;
    }
    __syncthreads();
    float base = up - v[3];
    for (int i = 0; i < warp; ++i) {
        base += total[i];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        before[4 * t + k + 1] = base + v[k];
    }
    if (t == 0) {
        before[0] = 0.0f;
    }
    __syncthreads();
    for (int i = t; i < TILE; i += 288) {
        const int r = blockIdx.x * TILE + i;
        if (r < cells) {
            const float sum = before[i + TRAIN] - before[i] + before[i + 2 * HALO + 1] - before[i + HALO + GUARD + 1];
            const int used = min(r, HALO) - min(r, GUARD) + min(cells - 1 - r, HALO) - min(cells - 1 - r, GUARD);
            out[(long long)blockIdx.y * cells + r] = line[r] * used / sum;
        }
    }
}
