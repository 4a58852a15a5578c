#pragma once
// Tiles of a matrix in row order, then in strips of eight columns of tiles, so that what L2 holds is used again.
__device__ __forceinline__ void product_tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n, int tx, int ty) {
    __shared__ float sa[16][65], sb[16][64];
    int t = threadIdx.x, r = (t / 16) * 4, c = (t % 16) * 4;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            sa[i % 16][i / 16] = a[(size_t)(ty * 64 + i / 16) * n + k0 + i % 16];
            sb[i / 64][i % 64] = b[(size_t)(k0 + i / 64) * n + tx * 64 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += sa[k][r + i] * sb[k][c + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) out[(size_t)(ty * 64 + r + i) * n + tx * 64 + c + j] = acc[i][j];
}
__global__ void products_rows(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n) {
    product_tile(a, b, out, n, blockIdx.x % (n / 64), blockIdx.x / (n / 64));
}
__global__ void products_strips(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n) {
    int per = 8 * (n / 64), s = blockIdx.x / per, in = blockIdx.x % per;
    product_tile(a, b, out, n, s * 8 + in % 8, in / 8);
}
