// counts_copies: "More bytes in flight: several independent loads before the first use, 16 bytes a lane", in front of the atomics.
#include "alt.cuh"
#include "original/counts.cuh"

template <int N> __global__ void __launch_bounds__(256) counts_ahead(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, int n) {
    __shared__ uint32_t h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    int step = gridDim.x * 256;
#pragma unroll 1
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += N * step) {
        uint32_t key[N];
#pragma unroll
        for (int k = 0; k < N; k++) key[k] = i + k * step < n ? keys[i + k * step] : ~0u;
#pragma unroll
        for (int k = 0; k < N; k++) if (key[k] < 256) atomicAdd(&h[key[k]], 1u);
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], h[threadIdx.x]);
}
template <int N> __global__ void __launch_bounds__(256) counts_vectors(const uint4* __restrict__ keys, uint32_t* __restrict__ out, int n4) {
    __shared__ uint32_t h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    int step = gridDim.x * 256;
#pragma unroll 1
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n4; i += N * step) {
        uint4 key[N];
#pragma unroll
        for (int k = 0; k < N; k++) key[k] = i + k * step < n4 ? keys[i + k * step] : make_uint4(~0u, ~0u, ~0u, ~0u);
#pragma unroll
        for (int k = 0; k < N; k++)
            if (key[k].x < 256) { atomicAdd(&h[key[k].x], 1u); atomicAdd(&h[key[k].y], 1u); atomicAdd(&h[key[k].z], 1u); atomicAdd(&h[key[k].w], 1u); }
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], h[threadIdx.x]);
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 32 << 20;
    uint32_t *keys = p.make<uint32_t>(n), *out = p.make<uint32_t>(256);
    // Counts are integers, whose bits are denormal floats: any difference shows.
    p.run("counts_copies", (float*)out, 256, 1e-44f, 0, [&](uint32_t s) { p.integers(keys, n, s, 256); }, {
        {"counts_block", "before", [&] { counts_block<<<1056, 256>>>(keys, out, n); }},
        {"counts_warp", "made:fewer-atomics", [&] { counts_warp<<<1056, 256>>>(keys, out, n); }},
        {"counts_ahead_4", "more-in-flight", [&] { counts_ahead<4><<<1056, 256>>>(keys, out, n); }},
        {"counts_ahead_8", "more-in-flight", [&] { counts_ahead<8><<<1056, 256>>>(keys, out, n); }},
        {"counts_vectors_1", "more-in-flight", [&] { counts_vectors<1><<<1056, 256>>>((uint4*)keys, out, n / 4); }},
        {"counts_vectors_2", "more-in-flight", [&] { counts_vectors<2><<<1056, 256>>>((uint4*)keys, out, n / 4); }},
    }, [&] { CK(cudaMemset(out, 0, 1024)); });
}
