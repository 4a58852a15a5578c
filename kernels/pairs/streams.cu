// Pairs on streams, gathers and what L2 keeps. Stated in stated.toml before they were measured.
#include "pair.cuh"

// Luminance of pixels of three bytes, byte by byte, then four pixels a thread as words.
__device__ __forceinline__ float luminance(uint32_t r, uint32_t g, uint32_t b) { return 0.299f * r + 0.587f * g + 0.114f * b; }
__global__ void luminance_bytes(const uint8_t* __restrict__ rgb, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = luminance(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
}
__global__ void luminance_words(const uint32_t* __restrict__ rgb, float4* __restrict__ out, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    uint32_t a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
    out[i] = make_float4(luminance(a & 255, a >> 8 & 255, a >> 16 & 255), luminance(a >> 24, b & 255, b >> 8 & 255),
                         luminance(b >> 16 & 255, b >> 24, c & 255), luminance(c >> 8 & 255, c >> 16 & 255, c >> 24));
}

// A gather from a table of 24 MB beside two streams: plain, then the streams marked as read and written once.
__global__ void table_plain(const float* __restrict__ table, const uint32_t* __restrict__ index, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[index[i]] * 2.0f;
}
__global__ void table_hinted(const float* __restrict__ table, const uint32_t* __restrict__ index, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) __stcs(&out[i], table[__ldcs(&index[i])] * 2.0f);
}

// Rows of 1,025 floats scaled by a factor each: rows one behind the other, then each at a multiple of 128 bytes.
__device__ __forceinline__ void scale_rows(const float* __restrict__ x, const float* __restrict__ factor, float* __restrict__ out, int pitch) {
    size_t row = blockIdx.x;
    float f = factor[row];
    for (int c = threadIdx.x; c < 1025; c += blockDim.x) out[row * 1056 + c] = x[row * pitch + c] * f;
}
__global__ void rows_packed(const float* __restrict__ x, const float* __restrict__ factor, float* __restrict__ out) { scale_rows(x, factor, out, 1025); }
__global__ void rows_aligned(const float* __restrict__ x, const float* __restrict__ factor, float* __restrict__ out) { scale_rows(x, factor, out, 1056); }

// Rows of 512 KB divided by their norm. The second pass walks as the first one did, then backwards, over what L2 read last.
template <bool BACK> __device__ __forceinline__ void normalise(const float4* __restrict__ x, float4* __restrict__ out) {
    __shared__ float part[17];
    const int quads = 32768;
    const float4* row = x + (size_t)blockIdx.x * quads;
    float s = 0;
#pragma unroll 4
    for (int c = threadIdx.x; c < quads; c += 512) { float4 v = row[c]; s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) { s = 0; for (int k = 0; k < 16; k++) s += part[k]; part[16] = rsqrtf(s); }
    __syncthreads();
    float f = part[16];
#pragma unroll 4
    for (int k = 0; k < quads / 512; k++) {
        int c = (BACK ? quads / 512 - 1 - k : k) * 512 + threadIdx.x;
        float4 v = row[c];
        out[(size_t)blockIdx.x * quads + c] = make_float4(v.x * f, v.y * f, v.z * f, v.w * f);
    }
}
__global__ void __launch_bounds__(512) normalise_forwards(const float4* __restrict__ x, float4* __restrict__ out) { normalise<false>(x, out); }
__global__ void __launch_bounds__(512) normalise_backwards(const float4* __restrict__ x, float4* __restrict__ out) { normalise<true>(x, out); }

// Sums of gathered values with 16 warps an SM: an index is loaded when it is used, then a turn ahead.
__global__ void gather_sum(const float* __restrict__ x, const uint32_t* __restrict__ index, float* __restrict__ out, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    float s = 0;
#pragma unroll 1
    for (int i = first; i < n; i += stride) s += x[index[i]];
    out[first] = s;
}
__global__ void gather_ahead(const float* __restrict__ x, const uint32_t* __restrict__ index, float* __restrict__ out, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    float s = 0;
    uint32_t at = first < n ? index[first] : 0;
#pragma unroll 1
    for (int i = first; i < n; i += stride) {
        uint32_t next = i + stride < n ? index[i + stride] : 0;
        s += x[at];
        at = next;
    }
    out[first] = s;
}

// Tiles of 8 KB through a ring of four stages: 16 bytes a thread by cp.async, then the whole tile by one bulk copy.
const int STAGES = 4, TILE = 2048;
__device__ __forceinline__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ float of_tile(const float* tile) {
    float s = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) { float v = tile[(threadIdx.x + 1 + 256 * k) % TILE]; s += v * v; }
    return s;
}
__global__ void __launch_bounds__(256) ring_async(const float* __restrict__ x, float* __restrict__ out, int tiles) {
    __shared__ __align__(128) float ring[STAGES][TILE];
    auto load = [&](int tile, int stage) {
        if (tile < tiles)
            for (int k = 0; k < 2; k++) {
                int at = (threadIdx.x + 256 * k) * 4;
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&ring[stage][at])), "l"(x + (size_t)tile * TILE + at) : "memory");
            }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int s = 0; s < STAGES - 1; s++) load(blockIdx.x + s * gridDim.x, s);
    int stage = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, stage = (stage + 1) % STAGES) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        load(tile + (STAGES - 1) * gridDim.x, (stage + STAGES - 1) % STAGES);
        out[(size_t)tile * 256 + threadIdx.x] = of_tile(ring[stage]);
    }
}
__device__ __forceinline__ void wait_phase(uint64_t* barrier, uint32_t phase) {
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(shared_address(barrier)), "r"(phase) : "memory");
}
__global__ void __launch_bounds__(256) ring_bulk(const float* __restrict__ x, float* __restrict__ out, int tiles) {
    __shared__ __align__(128) float ring[STAGES][TILE];
    __shared__ uint64_t full[STAGES];
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    auto load = [&](int tile, int stage) {
        if (threadIdx.x == 0 && tile < tiles) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full[stage])), "r"(TILE * 4) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(ring[stage])),
                         "l"(x + (size_t)tile * TILE), "r"(TILE * 4), "r"(shared_address(&full[stage])) : "memory");
        }
    };
    for (int s = 0; s < STAGES - 1; s++) load(blockIdx.x + s * gridDim.x, s);
    int stage = 0;
    uint32_t phase = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        __syncthreads();
        load(tile + (STAGES - 1) * gridDim.x, (stage + STAGES - 1) % STAGES);
        wait_phase(&full[stage], phase);
        out[(size_t)tile * 256 + threadIdx.x] = of_tile(ring[stage]);
        if (++stage == STAGES) { stage = 0; phase ^= 1; }
    }
}

// The same 64 KB of a table copied to shared memory by each block, then by four blocks of a cluster for one another.
extern __shared__ __align__(128) float table_shared[];
const int TABLE = 16384;
__device__ __forceinline__ void look_up(const uint32_t* __restrict__ keys, float* __restrict__ out) {
    for (int k = 0; k < 8; k++) {
        size_t i = (size_t)blockIdx.x * 2048 + k * 256 + threadIdx.x;
        out[i] = table_shared[keys[i]];
    }
}
__device__ __forceinline__ void expect_table(uint64_t* full) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(full)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(full)), "r"(TABLE * 4) : "memory");
    }
}
__global__ void __launch_bounds__(256) table_alone(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out) {
    __shared__ uint64_t full;
    expect_table(&full);
    __syncthreads();
    if (threadIdx.x < 4)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(table_shared + threadIdx.x * TABLE / 4)),
                     "l"(table + threadIdx.x * TABLE / 4), "r"(TABLE), "r"(shared_address(&full)) : "memory");
    wait_phase(&full, 0);
    look_up(keys, out);
}
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256) table_multicast(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out) {
    __shared__ uint64_t full;
    expect_table(&full);
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(table_shared + rank * TABLE / 4)),
                     "l"(table + rank * TABLE / 4), "r"(TABLE), "r"(shared_address(&full)), "h"((uint16_t)15) : "memory");
    wait_phase(&full, 0);
    look_up(keys, out);
}

int main(int argc, char** argv) {
    Pairs p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(2 * n), *out = p.make<float>(2 * n);
    uint32_t* keys = p.make<uint32_t>(n);
    auto one = [&](uint32_t s) { p.uniform(x, 2 * n, s); };
    auto keyed = [&](uint32_t below) { return [&, below](uint32_t s) { one(s); p.integers(keys, n, s, below); }; };
    p.run("luminance", out, n, 1, keyed(1u << 31), [&] { luminance_bytes<<<n / 256, 256>>>((uint8_t*)keys, out, n); }, [&] { luminance_words<<<n / 1024, 256>>>(keys, (float4*)out, n / 4); });
    p.run("table_hints", out, n, 1e-3f, keyed(6u << 20), [&] { table_plain<<<n / 256, 256>>>(x, keys, out, n); }, [&] { table_hinted<<<n / 256, 256>>>(x, keys, out, n); });
    {
        const int rows = 32768;
        float *aligned = p.make<float>((size_t)rows * 1056), *factor = p.make<float>(rows);
        auto fill = [&](uint32_t s) {
            one(s); p.uniform(factor, rows, s + 1);
            CK(cudaMemcpy2D(aligned, 1056 * 4, x, 1025 * 4, 1025 * 4, rows, cudaMemcpyDeviceToDevice));
        };
        // Words behind the rows are written by neither.
        p.run("pitch", out, (size_t)rows * 1056, 1e-3f, fill, [&] { rows_packed<<<rows, 256>>>(x, factor, out); }, [&] { rows_aligned<<<rows, 256>>>(aligned, factor, out); },
              [&] { CK(cudaMemset(out, 0, (size_t)rows * 1056 * 4)); });
        CK(cudaFree(aligned)); CK(cudaFree(factor));
    }
    p.run("backwards", out, 2 * n, 1e-3f, one, [&] { normalise_forwards<<<512, 512>>>((float4*)x, (float4*)out); }, [&] { normalise_backwards<<<512, 512>>>((float4*)x, (float4*)out); });
    p.run("gather_ahead", out, 264 * 256, 1, keyed(2 * n), [&] { gather_sum<<<264, 256>>>(x, keys, out, 8 << 20); }, [&] { gather_ahead<<<264, 256>>>(x, keys, out, 8 << 20); });
    p.run("ring", out, n / 4, 1, one, [&] { ring_async<<<132 * 6, 256>>>(x, out, 2 * n / TILE); }, [&] { ring_bulk<<<132 * 6, 256>>>(x, out, 2 * n / TILE); }, [] {});
    CK(cudaFuncSetAttribute(table_alone, cudaFuncAttributeMaxDynamicSharedMemorySize, TABLE * 4));
    CK(cudaFuncSetAttribute(table_multicast, cudaFuncAttributeMaxDynamicSharedMemorySize, TABLE * 4));
    p.run("multicast", out, 4096 * 2048, 1e-3f, keyed(TABLE), [&] { table_alone<<<4096, 256, TABLE * 4>>>(x, keys, out); }, [&] { table_multicast<<<4096, 256, TABLE * 4>>>(x, keys, out); });
}
