// series: "Compute in single precision: literals with an `f`, no function or variable of type double". Input and output are floats.
#include "alt.cuh"
#include "original/series.cuh"

__global__ void __launch_bounds__(256) series_single(const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        float s = (float)term(31);
#pragma unroll
        for (int j = 30; j >= 0; j--) s = s * v + (float)term(j);
        v = s;
    }
    out[i] = v;
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 16 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(n);
    p.run("series", out, n, 1, 1e-5f, [&](uint32_t s) { p.uniform(x, n, s, 0, 1); }, {
        {"series_horner", "before", [&] { series_horner<<<n / 256, 256>>>(x, out); }},
        {"series_estrin", "made:more-chains", [&] { series_estrin<<<n / 256, 256>>>(x, out); }},
        {"series_single", "fewer-conversions", [&] { series_single<<<n / 256, 256>>>(x, out); }},
    });
}
