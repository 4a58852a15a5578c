// plane_waves: "Keep the table in shared memory, constant memory or registers": the 4,096 points fill the 64 KB of constant memory; copying them there counts.
// The program prints what the others of alternatives print.
#include "../alt.cuh"
#include "../../ninth/plane_waves_before.cu"
#include "../../ninth/plane_waves_after.cu"

__constant__ float4 points_kept[4096];

__global__ void __launch_bounds__(128) plane_waves_constant(float* __restrict__ out, const float* __restrict__ wave, int waves, int points)
{
    const int t = blockIdx.x * 128 + threadIdx.x;
    const int w = min(t, waves - 1);
    const float kx = wave[3 * w], ky = wave[3 * w + 1], kz = wave[3 * w + 2];
    float re = 0.0f, im = 0.0f;
#pragma unroll 4
    for (int i = 0; i < points; ++i) {
        const float4 v = points_kept[i];
        float s, c;
        __sincosf(kx * v.x + ky * v.y + kz * v.z, &s, &c);
        re += v.w * c;
        im += v.w * s;
    }
    if (t < waves) {
        reinterpret_cast<float2*>(out)[t] = make_float2(re, im);
    }
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int waves = 65521, points = 4096;
    float *out = p.make<float>(2 * waves), *wave = p.make<float>(3 * waves), *point = p.make<float>(4 * points);
    p.run("plane_waves", out, 2 * waves, 1, 1e-3f, [&](uint32_t s) { p.uniform(wave, 3 * waves, s, -2, 2); p.uniform(point, 4 * points, s + 10); }, {
        {"plane_waves_before", "before", [&] { plane_waves_before<<<512, 128>>>(out, wave, point, waves, points); }},
        {"plane_waves_after", "made:reuse-in-sm", [&] { plane_waves_after<<<512, 128>>>(out, wave, point, waves, points); }},
        {"plane_waves_constant", "row 2:move-constants", [&] {
            CK(cudaMemcpyToSymbolAsync(points_kept, point, sizeof(points_kept), 0, cudaMemcpyDeviceToDevice));
            plane_waves_constant<<<512, 128>>>(out, wave, waves, points);
        }},
    });
}
