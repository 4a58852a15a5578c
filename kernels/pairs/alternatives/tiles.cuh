// A product in FP32 with one buffer a tile of ROWS x COLUMNS x 16 and R x C outputs a thread, all reads of shared memory 16 bytes wide.
// A thread's rows come in groups of four, ROWS / (R / 4) apart, and its columns likewise, so that a warp's reads lie side by side.
#pragma once
template <int ROWS, int COLUMNS, int R, int C> __global__ void __launch_bounds__(ROWS / R * (COLUMNS / C)) product_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    constexpr int THREADS = ROWS / R * (COLUMNS / C), ACROSS = COLUMNS / C, A = ROWS * 4 / THREADS, B = COLUMNS * 4 / THREADS;
    __shared__ __align__(16) float sa[16][ROWS + 4], sb[16][COLUMNS];
    int t = threadIdx.x, ty = blockIdx.y * ROWS, tx = blockIdx.x * COLUMNS, r = t / ACROSS * 4, q = t % ACROSS * 4;
    float acc[R][C] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        float4 va[A], vb[B];
#pragma unroll
        for (int j = 0; j < A; j++) { int i = t + THREADS * j; va[j] = *(const float4*)&a[(size_t)(ty + i / 4) * n + k0 + i % 4 * 4]; }
#pragma unroll
        for (int j = 0; j < B; j++) { int i = t + THREADS * j; vb[j] = *(const float4*)&b[(size_t)(k0 + i / (COLUMNS / 4)) * n + tx + i % (COLUMNS / 4) * 4]; }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < A; j++) {
            int i = t + THREADS * j, row = i / 4, k = i % 4 * 4;
            sa[k][row] = va[j].x; sa[k + 1][row] = va[j].y; sa[k + 2][row] = va[j].z; sa[k + 3][row] = va[j].w;
        }
#pragma unroll
        for (int j = 0; j < B; j++) { int i = t + THREADS * j; *(float4*)&sb[i / (COLUMNS / 4)][i % (COLUMNS / 4) * 4] = vb[j]; }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float u[R], w[C];
#pragma unroll
            for (int g = 0; g < R / 4; g++) *(float4*)(u + 4 * g) = *(float4*)&sa[k][r + g * (ROWS / (R / 4))];
#pragma unroll
            for (int g = 0; g < C / 4; g++) *(float4*)(w + 4 * g) = *(float4*)&sb[k][q + g * (COLUMNS / (C / 4))];
#pragma unroll
            for (int i = 0; i < R; i++)
#pragma unroll
                for (int j = 0; j < C; j++) acc[i][j] += u[i] * w[j];
        }
    }
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int g = 0; g < C / 4; g++) {
            int row = r + i % 4 + i / 4 * (ROWS / (R / 4)), col = q + g * (COLUMNS / (C / 4));
            *(float4*)&c[(size_t)(ty + row) * n + tx + col] = make_float4(acc[i][4 * g], acc[i][4 * g + 1], acc[i][4 * g + 2], acc[i][4 * g + 3]);
        }
}
