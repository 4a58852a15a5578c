// clenshaw: "Fewer instructions for the same result: cheaper arithmetic, fewer conversions". The body is two instructions a coefficient
// and element already, FFMA and FADD, all of it arithmetic; another series is the only way to fewer: in T2(x) over the even coefficients
// plus x times others made of the odd ones, three instructions for two coefficients.
#include "alt.cuh"
#include "original/clenshaw.cuh"

__constant__ float2 halves[48];
__global__ void __launch_bounds__(256) clenshaw_halves(const float4* __restrict__ x, float4* __restrict__ out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 v = x[i];
    float in[4] = {v.x, v.y, v.z, v.w}, twice[4], one[4] = {}, two[4] = {};
#pragma unroll
    for (int e = 0; e < 4; e++) twice[e] = 4 * in[e] * in[e] - 2;
#pragma unroll
    for (int k = 47; k > 0; k--) {
        float2 c = halves[k];
#pragma unroll
        for (int e = 0; e < 4; e++) { float y = twice[e] * one[e] + ((c.x + in[e] * c.y) - two[e]); two[e] = one[e]; one[e] = y; }
    }
    float2 c = halves[0];
    for (int e = 0; e < 4; e++) one[e] = 0.5f * twice[e] * one[e] + ((c.x + in[e] * c.y) - two[e]);
    out[i] = make_float4(one[0], one[1], one[2], one[3]);
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *weight = p.make<float>(96), *out = p.make<float>(n);
    auto fill = [&](uint32_t s) {
        p.uniform(x, n, s); p.uniform(weight, 96, s + 5);
        CK(cudaMemcpyToSymbol(coefficients, weight, sizeof(coefficients), 0, cudaMemcpyDeviceToDevice));
        float c[96]; float2 h[48]; double odd[49] = {};
        CK(cudaMemcpy(c, weight, sizeof(c), cudaMemcpyDeviceToHost));
        // Odd coefficients: x T_j(T2) is half of T_{2j+1} + T_{|2j-1|}.
        for (int j = 47; j > 0; j--) odd[j] = 2.0 * c[2 * j + 1] - odd[j + 1];
        odd[0] = c[1] - 0.5 * odd[1];
        for (int j = 0; j < 48; j++) h[j] = make_float2(c[2 * j], (float)odd[j]);
        CK(cudaMemcpyToSymbol(halves, h, sizeof(h)));
    };
    p.run("clenshaw", out, n, 1, 1e-3f, fill, {
        {"clenshaw_constant", "before", [&] { clenshaw_constant<<<n / 1024, 256>>>((float4*)x, (float4*)out); }},
        {"clenshaw_shared", "made:move-constants", [&] { clenshaw_shared<<<n / 1024, 256>>>((float4*)x, (float4*)out); }},
        {"clenshaw_halves", "fewer-instructions", [&] { clenshaw_halves<<<n / 1024, 256>>>((float4*)x, (float4*)out); }},
    });
}
