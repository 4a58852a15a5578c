// heat: "Split the work further (rows across warps, split-K): 1,056 blocks fit at once". Columns of 254 planes are split over PARTS blocks.
#include "alt.cuh"
#include "original/heat.cuh"

__global__ void __launch_bounds__(256) heat_split(const float* __restrict__ a, float* __restrict__ b, int planes) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 1 || x >= NX - 1 || y < 1 || y >= NY - 1) return;
    int from = 1 + blockIdx.z * planes, to = min(from + planes, NZ - 1);
    for (int z = from; z < to; z++) {
        size_t i = ((size_t)z * NY + y) * NX + x;
        b[i] = 0.4f * a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - NX] + a[i + NX] + a[i - NX * NY] + a[i + NX * NY]);
    }
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    size_t cells = (size_t)NX * NY * NZ;
    float *a = p.make<float>(cells), *b = p.make<float>(cells);
    auto split = [&](int parts) { return [=] { heat_split<<<dim3(NX / 32, NY / 8, parts), dim3(32, 8)>>>(a, b, (NZ - 2 + parts - 1) / parts); }; };
    p.run("heat", b, cells, 1, 1e-5f, [&](uint32_t s) { p.uniform(a, cells, s); }, {
        {"heat_cached", "before", [&] { heat_cached<<<dim3(NX / 32, NY / 8), dim3(32, 8)>>>(a, b); }},
        {"heat_tiled", "made:reuse-in-sm", [&] { heat_tiled<<<dim3(NX / 32, NY / 8), dim3(32, 8)>>>(a, b); }},
        {"heat_split_2", "more-blocks", split(2)},
        {"heat_split_4", "more-blocks", split(4)},
        {"heat_split_8", "more-blocks", split(8)},
        {"heat_split_32", "more-blocks", split(32)},
    }, [&] { CK(cudaMemset(b, 0, cells * 4)); });
}
