// block_turnover: "Blocks of 256 threads, several elements per thread, or a grid-stride loop over 1,056 resident blocks".
#include "alt.cuh"
#include "original/block_turnover.cuh"

template <int N> __global__ void several(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float bias[64];
    if (threadIdx.x < 64) bias[threadIdx.x] = threadIdx.x * 0.5f;
    int i = blockIdx.x * (blockDim.x * N) + threadIdx.x;
    float v[N];
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = x[i + k * blockDim.x];
    __syncthreads();
    float own = bias[i & 63];
#pragma unroll
    for (int k = 0; k < N; k++) out[i + k * blockDim.x] = v[k] + own;
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(n);
    p.run("block_turnover", out, n, 1e-2f, 0, [&](uint32_t s) { p.uniform(x, n, s); }, {
        {"small_blocks", "before", [&] { small_blocks<<<n / 64, 64>>>(x, out, n); }},
        {"large_loops", "made:persistent-blocks", [&] { large_loops<<<132 * 8, 256>>>(x, out, n); }},
        {"blocks_256", "larger-blocks", [&] { small_blocks<<<n / 256, 256>>>(x, out, n); }},
        {"blocks_512", "larger-blocks", [&] { small_blocks<<<n / 512, 512>>>(x, out, n); }},
        {"blocks_1024", "larger-blocks", [&] { small_blocks<<<n / 1024, 1024>>>(x, out, n); }},
        {"blocks_256_of_4", "larger-blocks", [&] { several<4><<<n / 1024, 256>>>(x, out); }},
        {"blocks_256_of_8", "larger-blocks", [&] { several<8><<<n / 2048, 256>>>(x, out); }},
        {"blocks_1024_of_4", "larger-blocks", [&] { several<4><<<n / 4096, 1024>>>(x, out); }},
        {"blocks_64_of_8", "larger-blocks", [&] { several<8><<<n / 512, 64>>>(x, out); }},
    });
}
