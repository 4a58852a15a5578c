// fp32_stages: "Register tile: several outputs a thread (4 x 4: 8 loads for 16 FFMA)". The kernel has 4 x 4 outputs a thread already, 256
// FFMA on 32 LDS.128, as the compiler reads A along k: fp32_4x4_wide says so in the source, then come 8 x 4 and 8 x 8. Two stages stay.
#include "alt.cuh"
#include "original/tensor.cuh"
#include "original/fp32.cuh"

template <int ROWS, int COLUMNS, int R, int C, int BLOCKS> __global__ void __launch_bounds__(ROWS / R * (COLUMNS / C), BLOCKS) fp32_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    constexpr int THREADS = ROWS / R * (COLUMNS / C), ACROSS = COLUMNS / C;
    __shared__ __align__(16) float sa[2][ROWS][20], sb[2][16][COLUMNS];
    int t = threadIdx.x, tx = t % ACROSS, ty = t / ACROSS, steps = n / 16;
    auto load = [&](int k) {
        if (k < steps) {
#pragma unroll
            for (int j = 0; j < ROWS * 4 / THREADS; j++) {
                int i = t + THREADS * j;
                copy16(shared_address(&sa[k % 2][i / 4][i % 4 * 4]), a + (size_t)(blockIdx.y * ROWS + i / 4) * n + k * 16 + i % 4 * 4);
            }
#pragma unroll
            for (int j = 0; j < COLUMNS * 4 / THREADS; j++) {
                int i = t + THREADS * j, row = i / (COLUMNS / 4), col = i % (COLUMNS / 4) * 4;
                copy16(shared_address(&sb[k % 2][row][col]), b + (size_t)(k * 16 + row) * n + blockIdx.x * COLUMNS + col);
            }
        }
        commit();
    };
    float acc[R][C] = {};
    load(0);
    for (int k = 0; k < steps; k++) {
        arrived<0>();
        __syncthreads();
        load(k + 1);
#pragma unroll
        for (int e = 0; e < 16; e += 4) {
            float4 u[R];
#pragma unroll
            for (int i = 0; i < R; i++) u[i] = *(const float4*)&sa[k % 2][ty * R + i][e];
#pragma unroll
            for (int d = 0; d < 4; d++) {
                float v[C];
#pragma unroll
                for (int g = 0; g < C / 4; g++) *(float4*)(v + 4 * g) = *(const float4*)&sb[k % 2][e + d][tx * 4 + g * (COLUMNS / (C / 4))];
#pragma unroll
                for (int i = 0; i < R; i++) {
                    float w = d == 0 ? u[i].x : d == 1 ? u[i].y : d == 2 ? u[i].z : u[i].w;
#pragma unroll
                    for (int j = 0; j < C; j++) acc[i][j] += w * v[j];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int g = 0; g < C / 4; g++)
            *(float4*)&c[(size_t)(blockIdx.y * ROWS + ty * R + i) * n + blockIdx.x * COLUMNS + tx * 4 + g * (COLUMNS / (C / 4))] = make_float4(acc[i][4 * g], acc[i][4 * g + 1], acc[i][4 * g + 2], acc[i][4 * g + 3]);
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 2048;
    const size_t most = 4u << 20;
    float *x = p.make<float>(most), *y = p.make<float>(most), *c = p.make<float>(most);
    p.run("fp32_stages", c, most, 10, 1e-4f, [&](uint32_t s) { p.uniform(x, most, s); p.uniform(y, most, s + 10); }, {
        {"fp32_two_stages", "before", [&] { fp32_two_stages<<<dim3(32, 32), 256>>>(x, y, c, n); }},
        {"fp32_four_stages", "made:double-buffer", [&] { fp32_four_stages<<<dim3(32, 32), 256>>>(x, y, c, n); }},
        {"fp32_4x4_wide", "register-tile", [&] { fp32_tiles<64, 64, 4, 4, 4><<<dim3(32, 32), 256>>>(x, y, c, n); }},
        {"fp32_8x4", "register-tile", [&] { fp32_tiles<128, 64, 8, 4, 2><<<dim3(32, 16), 256>>>(x, y, c, n); }},
        {"fp32_8x8_half", "register-tile", [&] { fp32_tiles<128, 64, 8, 8, 3><<<dim3(32, 16), 128>>>(x, y, c, n); }},
        {"fp32_8x8", "register-tile", [&] { fp32_tiles<128, 128, 8, 8, 1><<<dim3(16, 16), 256>>>(x, y, c, n); }},
        {"fp32_8x8_two", "register-tile", [&] { fp32_tiles<128, 128, 8, 8, 2><<<dim3(16, 16), 256>>>(x, y, c, n); }},
    });
}
