#pragma once
// A 7-point stencil through L1, then with planes in shared memory.
constexpr int NX = 512, NY = 512, NZ = 256;
__global__ void heat_cached(const float* __restrict__ a, float* __restrict__ b) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 1 || x >= NX - 1 || y < 1 || y >= NY - 1) return;
    for (int z = 1; z < NZ - 1; z++) {
        size_t i = ((size_t)z * NY + y) * NX + x;
        b[i] = 0.4f * a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - NX] + a[i + NX] + a[i - NX * NY] + a[i + NX * NY]);
    }
}
__global__ void heat_tiled(const float* __restrict__ a, float* __restrict__ b) {
    __shared__ float tile[10][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    size_t i = ((size_t)NY + y) * NX + x;
    float below = a[i - NX * NY], here = a[i];
    bool inner = x >= 1 && x < NX - 1 && y >= 1 && y < NY - 1;
    for (int z = 1; z < NZ - 1; z++, i += NX * NY) {
        float above = a[i + NX * NY];
        tile[ty][tx] = here;
        if (tx == 1 && x > 0) tile[ty][0] = a[i - 1];
        if (tx == 32 && x < NX - 1) tile[ty][33] = a[i + 1];
        if (ty == 1 && y > 0) tile[0][tx] = a[i - NX];
        if (ty == 8 && y < NY - 1) tile[9][tx] = a[i + NX];
        __syncthreads();
        if (inner) b[i] = 0.4f * here + 0.1f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + below + above);
        __syncthreads();
        below = here; here = above;
    }
}
