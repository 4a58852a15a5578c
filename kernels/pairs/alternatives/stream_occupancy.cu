// stream_occupancy: "More bytes in flight: several independent loads before the first use, 16 bytes a lane". The kernel has 32
// independent loads in flight a thread already; what is left of the row is their width.
#include "alt.cuh"
#include "original/stream.cuh"

__global__ void __launch_bounds__(256) stream_pairs(const float2* __restrict__ x, float2* __restrict__ out, int n2) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float2 v[32], s = make_float2(0, 0);
#pragma unroll
    for (int k = 0; k < 32; k++) v[k] = x[(size_t)k * n2 + i];
#pragma unroll
    for (int k = 0; k < 32; k++) { s.x += v[k].x * v[(k * 7 + 3) % 32].x; s.y += v[k].y * v[(k * 7 + 3) % 32].y; }
    out[i] = s;
}
__global__ void __launch_bounds__(256) stream_vectors(const float4* __restrict__ x, float4* __restrict__ out, int n4) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 v[32], s = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < 32; k++) v[k] = x[(size_t)k * n4 + i];
#pragma unroll
    for (int k = 0; k < 32; k++) {
        float4 a = v[k], b = v[(k * 7 + 3) % 32];
        s.x += a.x * b.x; s.y += a.y * b.y; s.z += a.z * b.z; s.w += a.w * b.w;
    }
    out[i] = s;
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 64 << 20, items = 2 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(items);
    p.run("stream_occupancy", out, items, 1, 1e-4f, [&](uint32_t s) { p.uniform(x, n, s); }, {
        {"stream_wide", "before", [&] { stream_wide<<<items / 256, 256>>>(x, out, items); }},
        {"stream_bounded", "made:more-warps", [&] { stream_bounded<<<items / 256, 256>>>(x, out, items); }},
        {"stream_pairs", "more-in-flight", [&] { stream_pairs<<<items / 512, 256>>>((float2*)x, (float2*)out, items / 2); }},
        {"stream_vectors", "more-in-flight", [&] { stream_vectors<<<items / 1024, 256>>>((float4*)x, (float4*)out, items / 4); }},
    });
}
