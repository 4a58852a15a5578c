// dot: "Split the work further (rows across warps, split-K): 1,056 blocks fit at once". Each of the 32,768 sums is split over PARTS
// blocks that meet in an atomic; a block still has one load of each input in flight a thread.
#include "alt.cuh"
#include "original/dot.cuh"

__global__ void __launch_bounds__(256) dot_split(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out, int n) {
    float s = 0;
    int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = first + blockIdx.y * step; i < n; i += gridDim.y * step) s += x[i] * y[i];
    atomicAdd(&out[first], s);
}
__global__ void __launch_bounds__(1024) dot_warps(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out, int n) {
    __shared__ float part[1024];
    float s = 0;
    int own = threadIdx.x % 256, turn = threadIdx.x / 256, first = blockIdx.x * 256 + own, step = gridDim.x * 256;
#pragma unroll 1
    for (int i = first + turn * step; i < n; i += 4 * step) s += x[i] * y[i];
    part[threadIdx.x] = s;
    __syncthreads();
    if (turn == 0) out[first] = s + part[256 + own] + part[512 + own] + part[768 + own];
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *y = p.make<float>(n), *out = p.make<float>(132 * 256);
    p.run("dot", out, 132 * 256, 1, 1e-3f, [&](uint32_t s) { p.uniform(x, n, s); p.uniform(y, n, s + 10); }, {
        {"dot_single", "before", [&] { dot_single<<<128, 256>>>(x, y, out, n); }},
        {"dot_eight", "made:more-in-flight", [&] { dot_eight<<<128, 256>>>(x, y, out, n); }},
        {"dot_split_4", "more-blocks", [&] { dot_split<<<dim3(128, 4), 256>>>(x, y, out, n); }},
        {"dot_split_8", "more-blocks", [&] { dot_split<<<dim3(128, 8), 256>>>(x, y, out, n); }},
        {"dot_split_16", "more-blocks", [&] { dot_split<<<dim3(128, 16), 256>>>(x, y, out, n); }},
        {"dot_warps", "more-blocks", [&] { dot_warps<<<128, 1024>>>(x, y, out, n); }},
    }, [&] { CK(cudaMemset(out, 0, 132 * 256 * 4)); });
}
