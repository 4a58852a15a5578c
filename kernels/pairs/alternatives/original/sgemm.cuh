#pragma once
// SGEMM with one output a thread, then a tile of 4 x 4 in registers, then the next tile loaded while this one is used.
__global__ void sgemm_one(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float sa[32][32], sb[32][32];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float s = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        sa[y][x] = a[(size_t)row * n + k0 + x];
        sb[y][x] = b[(size_t)(k0 + y) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k++) s += sa[y][k] * sb[k][x];
        __syncthreads();
    }
    c[(size_t)row * n + col] = s;
}
__global__ void sgemm_tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float sa[16][68], sb[16][64];
    int t = threadIdx.x, ty = blockIdx.y * 64, tx = blockIdx.x * 64, r = (t / 16) * 4, q = (t % 16) * 4;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        float4 va = *(const float4*)&a[(size_t)(ty + t / 4) * n + k0 + (t % 4) * 4];
        float4 vb = *(const float4*)&b[(size_t)(k0 + t / 16) * n + tx + q];
        __syncthreads();
        sa[(t % 4) * 4][t / 4] = va.x; sa[(t % 4) * 4 + 1][t / 4] = va.y; sa[(t % 4) * 4 + 2][t / 4] = va.z; sa[(t % 4) * 4 + 3][t / 4] = va.w;
        *(float4*)&sb[t / 16][q] = vb;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 fa = *(float4*)&sa[k][r], fb = *(float4*)&sb[k][q];
            float u[4] = {fa.x, fa.y, fa.z, fa.w}, w[4] = {fb.x, fb.y, fb.z, fb.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += u[i] * w[j];
        }
    }
    for (int i = 0; i < 4; i++) *(float4*)&c[(size_t)(ty + r + i) * n + tx + q] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
__global__ void sgemm_ahead(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float sa[2][16][68], sb[2][16][64];
    int t = threadIdx.x, ty = blockIdx.y * 64, tx = blockIdx.x * 64, r = (t / 16) * 4, q = (t % 16) * 4, stage = 0;
    float acc[4][4] = {};
    float4 va = *(const float4*)&a[(size_t)(ty + t / 4) * n + (t % 4) * 4];
    float4 vb = *(const float4*)&b[(size_t)(t / 16) * n + tx + q];
    for (int k0 = 0; k0 < n; k0 += 16, stage ^= 1) {
        sa[stage][(t % 4) * 4][t / 4] = va.x; sa[stage][(t % 4) * 4 + 1][t / 4] = va.y; sa[stage][(t % 4) * 4 + 2][t / 4] = va.z; sa[stage][(t % 4) * 4 + 3][t / 4] = va.w;
        *(float4*)&sb[stage][t / 16][q] = vb;
        __syncthreads();
        if (k0 + 16 < n) {
            va = *(const float4*)&a[(size_t)(ty + t / 4) * n + k0 + 16 + (t % 4) * 4];
            vb = *(const float4*)&b[(size_t)(k0 + 16 + t / 16) * n + tx + q];
        }
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 fa = *(float4*)&sa[stage][k][r], fb = *(float4*)&sb[stage][k][q];
            float u[4] = {fa.x, fa.y, fa.z, fa.w}, w[4] = {fb.x, fb.y, fb.z, fb.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += u[i] * w[j];
        }
    }
    for (int i = 0; i < 4; i++) *(float4*)&c[(size_t)(ty + r + i) * n + tx + q] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
