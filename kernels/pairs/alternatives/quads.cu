// quads: "Register tile: several outputs a thread (4 x 4: 8 loads for 16 FFMA)". Cannot be done: a word of shared memory is read by one
// thread for one output, so that no operand feeds a second one. What is left of the words, several outputs a thread, is quads_several.
// The second row is the change that was made; the fourth, "reuse values in registers, 16 bytes a lane", leaves shared memory out.
#include "alt.cuh"
#include "original/quads.cuh"

template <int N> __global__ void __launch_bounds__(256) quads_several(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float s[1024 * N + 1];
    size_t base = (size_t)blockIdx.x * (1024 * N);
    if (threadIdx.x == 0) s[0] = 1.0f;
#pragma unroll
    for (int k = 0; k < 4 * N; k++) s[1 + threadIdx.x + 256 * k] = x[base + threadIdx.x + 256 * k];
    __syncthreads();
    float scale = s[0];
#pragma unroll
    for (int j = 0; j < N; j++) {
        float v = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) { float q = s[1 + 1024 * j + threadIdx.x * 4 + k]; v += q * q; }
        out[(size_t)blockIdx.x * (256 * N) + 256 * j + threadIdx.x] = sqrtf(v) * scale;
    }
}
__global__ void __launch_bounds__(256) quads_registers(const float4* __restrict__ x, float* __restrict__ out) {
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float4 q = x[i];
    out[i] = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(n / 4);
    p.run("quads", out, n / 4, 1, 1e-5f, [&](uint32_t s) { p.uniform(x, n, s); }, {
        {"quads_in_order", "before", [&] { quads_in_order<<<n / 1024, 256>>>(x, out); }},
        {"quads_turned", "made:unconflict", [&] { quads_turned<<<n / 1024, 256>>>(x, out); }},
        {"quads_several_2", "register-tile:words only", [&] { quads_several<2><<<n / 2048, 256>>>(x, out); }},
        {"quads_several_4", "register-tile:words only", [&] { quads_several<4><<<n / 4096, 256>>>(x, out); }},
        {"quads_registers", "row 4:reuse-in-sm", [&] { quads_registers<<<n / 1024, 256>>>((float4*)x, out); }},
    });
}
