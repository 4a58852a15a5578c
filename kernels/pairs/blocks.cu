// Pairs on shared memory, barriers, atomics, occupancy and the grid. Stated in stated.toml before they were measured.
#include "pair.cuh"

// A histogram in global memory, then one a block in shared memory, then one a warp.
__global__ void counts_global(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&out[keys[i]], 1u);
}
__global__ void counts_block(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, int n) {
    __shared__ uint32_t h[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) h[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[keys[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], h[i]);
}
__global__ void counts_warp(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, int n) {
    __shared__ uint32_t h[8][256];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) h[i / 256][i % 256] = 0;
    __syncthreads();
    int w = threadIdx.x / 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[w][keys[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) { uint32_t s = 0; for (int k = 0; k < 8; k++) s += h[k][i]; atomicAdd(&out[i], s); }
}

// Sums of rows of 1,024 with a tree in shared memory, then by shuffles.
__global__ void rows_tree(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    s[t] = x[(size_t)blockIdx.x * 1024 + t];
    for (int d = 512; d; d >>= 1) { __syncthreads(); if (t < d) s[t] += s[t + d]; }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void rows_shuffle(const float* __restrict__ x, float* __restrict__ out) {
    int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
    const float4* r = (const float4*)(x + (size_t)row * 1024);
    float s = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) { float4 v = r[lane + 32 * k]; s += v.x + v.y + v.z + v.w; }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) out[row] = s;
}

// Columns of a tile of 64 x 64 summed in shared memory: pitch 64, then 65.
template <int PITCH> __device__ __forceinline__ void tile_columns(const float* __restrict__ x, float* __restrict__ out, int tiles) {
    __shared__ float s[64 * PITCH];
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        for (int i = threadIdx.x; i < 4096; i += 256) s[(i / 64) * PITCH + i % 64] = x[(size_t)tile * 4096 + i];
        __syncthreads();
        float v = 0;
        int r = threadIdx.x % 64, q = threadIdx.x / 64;
#pragma unroll 4
        for (int round = 0; round < 8; round++)
            for (int c = 0; c < 16; c++) v += s[r * PITCH + q * 16 + c] * (round + 1);
        out[(size_t)tile * 256 + threadIdx.x] = v;
        __syncthreads();
    }
}
__global__ void columns_flush(const float* __restrict__ x, float* __restrict__ out, int tiles) { tile_columns<64>(x, out, tiles); }
__global__ void columns_padded(const float* __restrict__ x, float* __restrict__ out, int tiles) { tile_columns<65>(x, out, tiles); }

// A stream with 32 values a thread in registers, then held to 32 registers so that more blocks fit.
template <int N> __device__ __forceinline__ void mix(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[N], s = 0;
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = x[(size_t)k * n + i];
#pragma unroll
    for (int k = 0; k < N; k++) s += v[k] * v[(k * 7 + 3) % N];
    out[i] = s;
}
__global__ void __launch_bounds__(256) stream_wide(const float* __restrict__ x, float* __restrict__ out, int n) { mix<32>(x, out, n); }
__global__ void __launch_bounds__(256, 8) stream_bounded(const float* __restrict__ x, float* __restrict__ out, int n) { mix<32>(x, out, n); }

// 64 long rows, one block a row, then 32 blocks a row whose sums meet in an atomic.
__global__ void longrows_block(const float* __restrict__ x, float* __restrict__ out, int cols) {
    __shared__ float part[8];
    float s = 0;
    const float4* r = (const float4*)(x + (size_t)blockIdx.x * cols);
    for (int c = threadIdx.x; c < cols / 4; c += blockDim.x) { float4 v = r[c]; s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) { for (int k = 1; k < 8; k++) s += part[k]; out[blockIdx.x] = s; }
}
__global__ void longrows_split(const float* __restrict__ x, float* __restrict__ out, int cols) {
    __shared__ float part[8];
    float s = 0;
    const float4* r = (const float4*)(x + (size_t)blockIdx.y * cols);
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < cols / 4; c += gridDim.x * blockDim.x) { float4 v = r[c]; s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) { for (int k = 1; k < 8; k++) s += part[k]; atomicAdd(&out[blockIdx.y], s); }
}

// Rows of uneven length, the long ones last, then first.
__device__ __forceinline__ void ragged(const float* __restrict__ x, const uint32_t* __restrict__ length, float* __restrict__ out, int row) {
    int len = length[row];
    float s = 0;
    for (int c = threadIdx.x; c < len; c += blockDim.x) { float v = x[(row * 64 + c) & ((1 << 20) - 1)]; for (int k = 0; k < 8; k++) v = v * 0.99f + 0.01f; s += v; }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&out[row], s);
}
__global__ void ragged_ascending(const float* __restrict__ x, const uint32_t* __restrict__ length, float* __restrict__ out, int rows) { ragged(x, length, out, blockIdx.x); }
__global__ void ragged_descending(const float* __restrict__ x, const uint32_t* __restrict__ length, float* __restrict__ out, int rows) { ragged(x, length, out, rows - 1 - blockIdx.x); }

// A sum that every thread adds to one word, then one lane a warp.
__global__ void total_threads(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[i & 15], x[i]);
}
__global__ void total_warps(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0;
    for (int d = 16; d >= 16; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x % 32 < 16) atomicAdd(&out[i & 15], v);
}

// Blocks of 64 threads that each do little, then of 256 over the same threads.
__global__ void small_blocks(const float* __restrict__ x, float* __restrict__ out, int n) {
    __shared__ float bias[64];
    if (threadIdx.x < 64) bias[threadIdx.x] = threadIdx.x * 0.5f;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + bias[i & 63];
}
__global__ void large_loops(const float* __restrict__ x, float* __restrict__ out, int n) {
    __shared__ float bias[64];
    if (threadIdx.x < 64) bias[threadIdx.x] = threadIdx.x * 0.5f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = x[i] + bias[i & 63];
}

// 96 KB of shared memory a block for a table of which a block uses a third, then 32 KB.
extern __shared__ float dynamic[];
__global__ void lookup_all(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out, int per) {
    for (int i = threadIdx.x; i < 24576; i += blockDim.x) dynamic[i] = table[i];
    __syncthreads();
    for (int i = threadIdx.x; i < per; i += blockDim.x) out[(size_t)blockIdx.x * per + i] = dynamic[keys[(size_t)blockIdx.x * per + i]];
}
__global__ void lookup_third(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out, int per) {
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) dynamic[i] = table[i];
    __syncthreads();
    for (int i = threadIdx.x; i < per; i += blockDim.x) out[(size_t)blockIdx.x * per + i] = dynamic[keys[(size_t)blockIdx.x * per + i]];
}

// Prefix sums of tiles with a barrier a step (Hillis-Steele), then by warps.
__global__ void scan_steps(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float s[2][1024];
    int t = threadIdx.x, side = 0;
    s[0][t] = x[(size_t)blockIdx.x * 1024 + t];
    __syncthreads();
    for (int d = 1; d < 1024; d <<= 1, side ^= 1) { s[side ^ 1][t] = t >= d ? s[side][t] + s[side][t - d] : s[side][t]; __syncthreads(); }
    out[(size_t)blockIdx.x * 1024 + t] = s[side][t];
}
__global__ void scan_warps(const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float total[32];
    int t = threadIdx.x, lane = t % 32, w = t / 32;
    float v = x[(size_t)blockIdx.x * 1024 + t];
    for (int d = 1; d < 32; d <<= 1) { float o = __shfl_up_sync(~0u, v, d); if (lane >= d) v += o; }
    if (lane == 31) total[w] = v;
    __syncthreads();
    if (w == 0) { float q = total[lane]; for (int d = 1; d < 32; d <<= 1) { float o = __shfl_up_sync(~0u, q, d); if (lane >= d) q += o; } total[lane] = q; }
    __syncthreads();
    out[(size_t)blockIdx.x * 1024 + t] = v + (w ? total[w - 1] : 0);
}

int main(int argc, char** argv) {
    Pairs p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(2 * n), *out = p.make<float>(n);
    uint32_t* keys = p.make<uint32_t>(n);
    auto one = [&](uint32_t s) { p.uniform(x, 2 * n, s); };
    auto zero = [&] { CK(cudaMemset(out, 0, 1 << 20)); };
    auto keyed = [&](uint32_t s) { p.integers(keys, n, s, 256); };
    // Counts are integers, whose bits are denormal floats: any difference shows.
    p.run("counts_private", out, 256, 1e-44f, keyed, [&] { counts_global<<<1056, 256>>>(keys, (uint32_t*)out, n); }, [&] { counts_block<<<1056, 256>>>(keys, (uint32_t*)out, n); }, zero);
    p.run("counts_copies", out, 256, 1e-44f, keyed, [&] { counts_block<<<1056, 256>>>(keys, (uint32_t*)out, n); }, [&] { counts_warp<<<1056, 256>>>(keys, (uint32_t*)out, n); }, zero);
    p.run("rows_reduce", out, 32768, 1, one, [&] { rows_tree<<<32768, 1024>>>(x, out); }, [&] { rows_shuffle<<<4096, 256>>>(x, out); });
    p.run("columns", out, 8192 * 256, 1, one, [&] { columns_flush<<<1056, 256>>>(x, out, 8192); }, [&] { columns_padded<<<1056, 256>>>(x, out, 8192); });
    p.run("stream_occupancy", out, 2 << 20, 1, one, [&] { stream_wide<<<(2 << 20) / 256, 256>>>(x, out, 2 << 20); }, [&] { stream_bounded<<<(2 << 20) / 256, 256>>>(x, out, 2 << 20); });
    p.run("longrows", out, 64, 1, one, [&] { longrows_block<<<64, 256>>>(x, out, 1 << 19); }, [&] { longrows_split<<<dim3(32, 64), 256>>>(x, out, 1 << 19); }, zero);
    {
        uint32_t* length = p.make<uint32_t>(4096); std::vector<uint32_t> h(4096);
        for (int i = 0; i < 4096; i++) h[i] = i < 3968 ? 2048 : 65536;
        CK(cudaMemcpy(length, h.data(), 16384, cudaMemcpyHostToDevice));
        p.run("ragged", out, 4096, 1, one, [&] { ragged_ascending<<<4096, 256>>>(x, length, out, 4096); }, [&] { ragged_descending<<<4096, 256>>>(x, length, out, 4096); }, zero);
    }
    p.run("total", out, 16, 1e4f, one, [&] { total_threads<<<(4 << 20) / 256, 256>>>(x, out, 4 << 20); }, [&] { total_warps<<<(4 << 20) / 256, 256>>>(x, out, 4 << 20); }, zero);
    p.run("block_turnover", out, n, 1e-2f, one, [&] { small_blocks<<<n / 64, 64>>>(x, out, n); }, [&] { large_loops<<<132 * 8, 256>>>(x, out, n); });
    CK(cudaFuncSetAttribute(lookup_all, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304));
    CK(cudaFuncSetAttribute(lookup_third, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304));
    p.run("lookup", out, 4096 * 4096, 1e-2f, [&](uint32_t s) { one(s); p.integers(keys, n, s, 8192); }, [&] { lookup_all<<<4096, 256, 98304>>>(x, keys, out, 4096); }, [&] { lookup_third<<<4096, 256, 32768>>>(x, keys, out, 4096); });
    p.run("scan", out, 32 << 20, 1, one, [&] { scan_steps<<<32768, 1024>>>(x, out); }, [&] { scan_warps<<<32768, 1024>>>(x, out); });
}
