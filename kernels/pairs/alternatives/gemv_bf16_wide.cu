// gemv_bf16_wide: "More bytes in flight: several independent loads before the first use, 16 bytes a lane".
#include "alt.cuh"

__device__ __forceinline__ float value_of(unsigned bits) { return __uint_as_float(bits << 16); }
__device__ __forceinline__ void leave(float sum, float* y, unsigned row) {
#pragma unroll
    for (unsigned distance = 16u; distance > 0u; distance /= 2u) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32u == 0u) y[row] = sum;
}
__global__ void gemv_bf16(float* __restrict__ y, const unsigned short* __restrict__ matrix, const float* __restrict__ x, unsigned columns) {
    const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32u, lane = threadIdx.x % 32u;
    const unsigned short* own = matrix + row * columns;
    float sum = 0.0f;
    for (unsigned c = lane; c < columns; c += 32u) sum += value_of(own[c]) * x[c];
    leave(sum, y, row);
}
__device__ __forceinline__ float dot8(uint4 packed, const float* x) {
    const float4 low = *reinterpret_cast<const float4*>(x), high = *reinterpret_cast<const float4*>(x + 4);
    float sum = value_of(packed.x) * low.x + value_of(packed.x >> 16) * low.y;
    sum += value_of(packed.y) * low.z + value_of(packed.y >> 16) * low.w;
    sum += value_of(packed.z) * high.x + value_of(packed.z >> 16) * high.y;
    sum += value_of(packed.w) * high.z + value_of(packed.w >> 16) * high.w;
    return sum;
}
__global__ void gemv_wide(float* __restrict__ y, const unsigned short* __restrict__ matrix, const float* __restrict__ x, unsigned columns) {
    const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32u, lane = threadIdx.x % 32u;
    const unsigned short* own = matrix + row * columns;
    float sum = 0.0f;
    for (unsigned c = lane * 8u; c < columns; c += 256u) {
        const uint4 packed = *reinterpret_cast<const uint4*>(own + c);
        const float4 low = *reinterpret_cast<const float4*>(x + c), high = *reinterpret_cast<const float4*>(x + c + 4u);
        sum += value_of(packed.x) * low.x + value_of(packed.x >> 16) * low.y;
        sum += value_of(packed.y) * low.z + value_of(packed.y >> 16) * low.w;
        sum += value_of(packed.z) * high.x + value_of(packed.z >> 16) * high.y;
        sum += value_of(packed.w) * high.z + value_of(packed.w >> 16) * high.w;
    }
    leave(sum, y, row);
}
template <int N> __global__ void __launch_bounds__(256) gemv_ahead(float* __restrict__ y, const unsigned short* __restrict__ matrix, const float* __restrict__ x, unsigned columns) {
    const unsigned row = (blockIdx.x * 256 + threadIdx.x) / 32u, lane = threadIdx.x % 32u;
    const unsigned short* own = matrix + row * columns;
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned c = lane; c < columns; c += 32u * N) {
        unsigned short v[N];
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = own[c + 32 * k];
#pragma unroll
        for (int k = 0; k < N; k++) sum += value_of(v[k]) * x[c + 32 * k];
    }
    leave(sum, y, row);
}
template <int N> __global__ void __launch_bounds__(256) gemv_vectors(float* __restrict__ y, const unsigned short* __restrict__ matrix, const float* __restrict__ x, unsigned columns) {
    const unsigned row = (blockIdx.x * 256 + threadIdx.x) / 32u, lane = threadIdx.x % 32u;
    const unsigned short* own = matrix + row * columns;
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned c = lane * 8u; c < columns; c += 256u * N) {
        uint4 v[N];
#pragma unroll
        for (int k = 0; k < N; k++) v[k] = *reinterpret_cast<const uint4*>(own + c + 256 * k);
#pragma unroll
        for (int k = 0; k < N; k++) sum += dot8(v[k], x + c + 256 * k);
    }
    leave(sum, y, row);
}
__global__ void narrowed(const float* __restrict__ x, unsigned short* __restrict__ y, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) y[i] = (unsigned short)(__float_as_uint(x[i % 0xFFFFF7]) + 0x8000u >> 16);
}

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const unsigned rows = 16384, columns = 8192;
    const size_t cells = (size_t)rows * columns;
    float *x = p.make<float>(16 << 20), *y = p.make<float>(rows);
    unsigned short* matrix = p.make<unsigned short>(cells);
    auto fill = [&](uint32_t s) { p.uniform(x, 16 << 20, s); narrowed<<<1024, 256>>>(x, matrix, cells); CK(cudaGetLastError()); p.uniform(x, columns, s + 3); };
    p.run("gemv_bf16_wide", y, rows, 10, 1e-4f, fill, {
        {"gemv_bf16", "before", [&] { gemv_bf16<<<2048, 256>>>(y, matrix, x, columns); }},
        {"gemv_wide", "made:wide-loads", [&] { gemv_wide<<<2048, 256>>>(y, matrix, x, columns); }},
        {"gemv_ahead_8", "more-in-flight", [&] { gemv_ahead<8><<<2048, 256>>>(y, matrix, x, columns); }},
        {"gemv_ahead_16", "more-in-flight", [&] { gemv_ahead<16><<<2048, 256>>>(y, matrix, x, columns); }},
        {"gemv_ahead_32", "more-in-flight", [&] { gemv_ahead<32><<<2048, 256>>>(y, matrix, x, columns); }},
        {"gemv_vectors_1", "more-in-flight", [&] { gemv_vectors<1><<<2048, 256>>>(y, matrix, x, columns); }},
        {"gemv_vectors_2", "more-in-flight", [&] { gemv_vectors<2><<<2048, 256>>>(y, matrix, x, columns); }},
        {"gemv_vectors_4", "more-in-flight", [&] { gemv_vectors<4><<<2048, 256>>>(y, matrix, x, columns); }},
    });
}
