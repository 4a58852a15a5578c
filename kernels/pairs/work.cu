// Pairs on what is executed, by how many warps and blocks, and on atomics. Stated in stated.toml before they were measured.
#include "pair.cuh"
#include <numeric>

// 32 probes of a table of 128 MB a thread: one block of 1,024 threads fits an SM by its registers, then five of 256.
__device__ __forceinline__ void probe(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t key = keys[i];
    float v[32], s = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) v[k] = table[(key + k * 0x9E3779B9u) * 0x85EBCA6Bu >> 7];
#pragma unroll
    for (int k = 0; k < 32; k++) s += v[k] * v[(k * 5 + 3) % 32];
    out[i] = s;
}
__global__ void __launch_bounds__(1024) probe_large(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out) { probe(table, keys, out); }
__global__ void __launch_bounds__(256) probe_small(const float* __restrict__ table, const uint32_t* __restrict__ keys, float* __restrict__ out) { probe(table, keys, out); }

// Inverses of 4 x 4 matrices, an array to each element: held to 32 registers, then with what they need.
__device__ __forceinline__ void invert(const float* __restrict__ x, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float m[16], r[16];
#pragma unroll
    for (int k = 0; k < 16; k++) m[k] = x[(size_t)k * n + i] + (k % 5 == 0 ? 4.0f : 0.0f);
    float s0 = m[0] * m[5] - m[4] * m[1], s1 = m[0] * m[6] - m[4] * m[2], s2 = m[0] * m[7] - m[4] * m[3];
    float s3 = m[1] * m[6] - m[5] * m[2], s4 = m[1] * m[7] - m[5] * m[3], s5 = m[2] * m[7] - m[6] * m[3];
    float c5 = m[10] * m[15] - m[14] * m[11], c4 = m[9] * m[15] - m[13] * m[11], c3 = m[9] * m[14] - m[13] * m[10];
    float c2 = m[8] * m[15] - m[12] * m[11], c1 = m[8] * m[14] - m[12] * m[10], c0 = m[8] * m[13] - m[12] * m[9];
    float d = 1.0f / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
    r[0] = m[5] * c5 - m[6] * c4 + m[7] * c3, r[1] = -m[1] * c5 + m[2] * c4 - m[3] * c3;
    r[2] = m[13] * s5 - m[14] * s4 + m[15] * s3, r[3] = -m[9] * s5 + m[10] * s4 - m[11] * s3;
    r[4] = -m[4] * c5 + m[6] * c2 - m[7] * c1, r[5] = m[0] * c5 - m[2] * c2 + m[3] * c1;
    r[6] = -m[12] * s5 + m[14] * s2 - m[15] * s1, r[7] = m[8] * s5 - m[10] * s2 + m[11] * s1;
    r[8] = m[4] * c4 - m[5] * c2 + m[7] * c0, r[9] = -m[0] * c4 + m[1] * c2 - m[3] * c0;
    r[10] = m[12] * s4 - m[13] * s2 + m[15] * s0, r[11] = -m[8] * s4 + m[9] * s2 - m[11] * s0;
    r[12] = -m[4] * c3 + m[5] * c1 - m[6] * c0, r[13] = m[0] * c3 - m[1] * c1 + m[2] * c0;
    r[14] = -m[12] * s3 + m[13] * s1 - m[14] * s0, r[15] = m[8] * s3 - m[9] * s1 + m[10] * s0;
#pragma unroll
    for (int k = 0; k < 16; k++) out[(size_t)k * n + i] = r[k] * d;
}
__global__ void __launch_bounds__(256, 8) invert_bounded(const float* __restrict__ x, float* __restrict__ out, int n) { invert(x, out, n); }
__global__ void __launch_bounds__(256) invert_free(const float* __restrict__ x, float* __restrict__ out, int n) { invert(x, out, n); }

// The same items over 144 blocks, one to an SM by its table in shared memory, then over 132.
extern __shared__ float table[];
__device__ __forceinline__ void walk(const float* __restrict__ x, float* __restrict__ out, int items) {
    for (int k = threadIdx.x; k < 30000; k += 256) table[k] = x[k];
    __syncthreads();
    int per = items / gridDim.x;
    for (int i = blockIdx.x * per + threadIdx.x; i < (blockIdx.x + 1) * per; i += 256) {
        float v = x[i];
        for (int k = 0; k < 64; k++) v = v * 0.9f + table[(int)(fabsf(v) * 977.0f + k) % 30000];
        out[i] = v;
    }
}
__global__ void __launch_bounds__(256) walk_144(const float* __restrict__ x, float* __restrict__ out, int items) { walk(x, out, items); }
__global__ void __launch_bounds__(256) walk_132(const float* __restrict__ x, float* __restrict__ out, int items) { walk(x, out, items); }

// A sum of squares: one atomic to a warp, then to a block.
__device__ __forceinline__ float squares(const float4* __restrict__ x) {
    float4 v = x[blockIdx.x * blockDim.x + threadIdx.x];
    float s = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    return s;
}
__global__ void __launch_bounds__(256) squares_warp(const float4* __restrict__ x, float* __restrict__ out) {
    float s = squares(x);
    if (threadIdx.x % 32 == 0) atomicAdd(out, s);
}
__global__ void __launch_bounds__(256) squares_block(const float4* __restrict__ x, float* __restrict__ out) {
    __shared__ float part[8];
    float s = squares(x);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) { for (int k = 1; k < 8; k++) s += part[k]; atomicAdd(out, s); }
}

// Counts of 65,536 keys at random in memory: an atomic to a lane, then one to the lanes of a warp that agree.
__global__ void __launch_bounds__(256) tally_lanes(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out) {
    atomicAdd(&out[keys[blockIdx.x * blockDim.x + threadIdx.x]], 1u);
}
__global__ void __launch_bounds__(256) tally_match(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out) {
    uint32_t key = keys[blockIdx.x * blockDim.x + threadIdx.x], same = __match_any_sync(~0u, key);
    if (__ffs(same) - 1 == threadIdx.x % 32) atomicAdd(&out[key], (uint32_t)__popc(same));
}

// A thread to a segment of 1 to 64 steps: as segments come, then in the order of their length.
__device__ __forceinline__ void segments(const uint32_t* __restrict__ length, const uint32_t* __restrict__ order, float* __restrict__ out) {
    uint32_t at = order[blockIdx.x * blockDim.x + threadIdx.x], steps = length[at];
    float v = at * 1e-6f, s = 0;
    for (uint32_t k = 0; k < steps; k++) {
#pragma unroll
        for (int e = 0; e < 16; e++) v = v * 0.97f + 0.01f;
        s += v;
    }
    out[at] = s;
}
__global__ void __launch_bounds__(256) segments_mixed(const uint32_t* __restrict__ length, const uint32_t* __restrict__ order, float* __restrict__ out) { segments(length, order, out); }
__global__ void __launch_bounds__(256) segments_sorted(const uint32_t* __restrict__ length, const uint32_t* __restrict__ order, float* __restrict__ out) { segments(length, order, out); }

// The remainder by a size of run time: in 64 bits, then in the 32 that the values have.
template <class T> __device__ __forceinline__ void buckets(const uint32_t* __restrict__ keys, float* __restrict__ out, T size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T key = keys[i], first = key % size, second = (uint32_t)(key * 2654435761u) % size;
    out[i] = (float)(first ^ second);
}
__global__ void __launch_bounds__(256) buckets_64(const uint32_t* __restrict__ keys, float* __restrict__ out, unsigned long long size) { buckets(keys, out, size); }
__global__ void __launch_bounds__(256) buckets_32(const uint32_t* __restrict__ keys, float* __restrict__ out, uint32_t size) { buckets(keys, out, size); }

// Products of rows of 8-bit weights with a vector: a conversion to a weight, then bits put behind an exponent.
template <bool BITS> __device__ __forceinline__ void product(const int4* __restrict__ q, const float4* __restrict__ x, float* __restrict__ out) {
    int lane = threadIdx.x % 32;
    size_t row = blockIdx.x * 8 + threadIdx.x / 32;
    float s = 0;
#pragma unroll 2
    for (int k = 0; k < 8; k++) {
        int4 w = q[row * 256 + k * 32 + lane];
        int words[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float4 v = x[(k * 4 + j) * 32 + lane];
            float f[4];
#pragma unroll
            for (int e = 0; e < 4; e++)
                f[e] = BITS ? __uint_as_float(__byte_perm(words[j] ^ 0x80808080, 0x4B000000, 0x7440 + e)) - 8388736.0f : (float)(signed char)(words[j] >> 8 * e);
            s += f[0] * v.x + f[1] * v.y + f[2] * v.z + f[3] * v.w;
        }
    }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) out[row] = s;
}
__global__ void __launch_bounds__(256) product_converted(const int4* __restrict__ q, const float4* __restrict__ x, float* __restrict__ out) { product<false>(q, x, out); }
__global__ void __launch_bounds__(256) product_bits(const int4* __restrict__ q, const float4* __restrict__ x, float* __restrict__ out) { product<true>(q, x, out); }

// Polynomials of degree 31 in double precision, four in a row: by Horner, one chain, then by Estrin, as a tree.
__device__ __forceinline__ constexpr double term(int k) { return 1.0 / (2 * k + 3) * (k % 2 ? -1 : 1); }
__device__ __forceinline__ double horner(double x) {
    double s = term(31);
#pragma unroll
    for (int k = 30; k >= 0; k--) s = s * x + term(k);
    return s;
}
template <int WIDTH> __device__ __forceinline__ double tree(const double (&c)[2 * WIDTH], double x) {
    double half[WIDTH];
#pragma unroll
    for (int k = 0; k < WIDTH; k++) half[k] = c[2 * k + 1] * x + c[2 * k];
    if constexpr (WIDTH == 1) return half[0];
    else return tree<WIDTH / 2>(half, x * x);
}
__device__ __forceinline__ double estrin(double x) {
    double c[32];
#pragma unroll
    for (int k = 0; k < 32; k++) c[k] = term(k);
    return tree<16>(c, x);
}
__global__ void __launch_bounds__(256) series_horner(const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
#pragma unroll 1
    for (int k = 0; k < 4; k++) v = horner(v);
    out[i] = v;
}
__global__ void __launch_bounds__(256) series_estrin(const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
#pragma unroll 1
    for (int k = 0; k < 4; k++) v = estrin(v);
    out[i] = v;
}

// 4,096 rounds of a mixing function: all unrolled, then sixteen.
template <int UNROLL> __device__ __forceinline__ void mix(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t a = keys[i], b = ~a;
#pragma unroll UNROLL
    for (uint32_t k = 0; k < 4096; k++) { a = (a ^ (a >> 7)) * 0x9E3779B1u + k; b = (b ^ (b >> 9)) * 0x85EBCA6Bu + a; }
    out[i] = (a ^ b) >> 9;
}
__global__ void __launch_bounds__(256) mix_unrolled(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out) { mix<4096>(keys, out); }
__global__ void __launch_bounds__(256) mix_rolled(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out) { mix<16>(keys, out); }

int main(int argc, char** argv) {
    Pairs p(argc, argv);
    const int n = 32 << 20;
    float *x = p.make<float>(n), *out = p.make<float>(n);
    uint32_t *keys = p.make<uint32_t>(n), *order = p.make<uint32_t>(n), *given = p.make<uint32_t>(n);
    auto one = [&](uint32_t s) { p.uniform(x, n, s); };
    auto keyed = [&](uint32_t below) { return [&, below](uint32_t s) { one(s); p.integers(keys, n, s, below); }; };
    auto zero = [&] { CK(cudaMemset(out, 0, 1 << 20)); };
    p.run("probe", out, 1 << 20, 1, keyed(~0u), [&] { probe_large<<<1024, 1024>>>(x, keys, out); }, [&] { probe_small<<<4096, 256>>>(x, keys, out); });
    p.run("invert", out, n, 1, one, [&] { invert_bounded<<<n / 4096, 256>>>(x, out, n / 16); }, [&] { invert_free<<<n / 4096, 256>>>(x, out, n / 16); });
    CK(cudaFuncSetAttribute(walk_144, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000));
    CK(cudaFuncSetAttribute(walk_132, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000));
    const int items = 132 * 12 * 256 * 4;
    p.run("walk", out, items, 1, one, [&] { walk_144<<<144, 256, 120000>>>(x, out, items); }, [&] { walk_132<<<132, 256, 120000>>>(x, out, items); });
    p.run("squares", out, 1, 1, one, [&] { squares_warp<<<n / 2048, 256>>>((float4*)x, out); }, [&] { squares_block<<<n / 2048, 256>>>((float4*)x, out); }, zero);
    // Counts are integers, whose bits are denormal floats: any difference shows.
    p.run("tally", out, 65536, 1e-44f, keyed(65536), [&] { tally_lanes<<<n / 1024, 256>>>(keys, (uint32_t*)out); }, [&] { tally_match<<<n / 1024, 256>>>(keys, (uint32_t*)out); }, zero);
    {
        const int count = 4 << 20;
        std::vector<uint32_t> lengths(count), by_length(count), as_given(count);
        std::iota(as_given.begin(), as_given.end(), 0u);
        CK(cudaMemcpy(given, as_given.data(), count * 4, cudaMemcpyHostToDevice));
        auto fill = [&](uint32_t s) {
            p.integers(keys, count, s, 64);
            CK(cudaMemcpy(lengths.data(), keys, count * 4, cudaMemcpyDeviceToHost));
            by_length = as_given;
            std::stable_sort(by_length.begin(), by_length.end(), [&](uint32_t a, uint32_t b) { return lengths[a] > lengths[b]; });
            CK(cudaMemcpy(order, by_length.data(), count * 4, cudaMemcpyHostToDevice));
        };
        p.run("segments", out, count, 1, fill, [&] { segments_mixed<<<count / 256, 256>>>(keys, given, out); }, [&] { segments_sorted<<<count / 256, 256>>>(keys, order, out); });
    }
    p.run("buckets", out, n, 1e-3f, keyed(~0u), [&] { buckets_64<<<n / 256, 256>>>(keys, out, 1000003); }, [&] { buckets_32<<<n / 256, 256>>>(keys, out, 1000003); });
    p.run("product", out, 32768, 1000, keyed(~0u), [&] { product_converted<<<4096, 256>>>((int4*)keys, (float4*)x, out); }, [&] { product_bits<<<4096, 256>>>((int4*)keys, (float4*)x, out); });
    p.run("series", out, n / 2, 1, [&](uint32_t s) { p.uniform(x, n, s, 0, 1); }, [&] { series_horner<<<n / 512, 256>>>(x, out); }, [&] { series_estrin<<<n / 512, 256>>>(x, out); });
    p.run("mix", out, 1 << 20, 1e-44f, keyed(~0u), [&] { mix_unrolled<<<4096, 256>>>(keys, (uint32_t*)out); }, [&] { mix_rolled<<<4096, 256>>>(keys, (uint32_t*)out); });
}
