#pragma once
#include <cuda_bf16.h>
__device__ __forceinline__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy16(uint32_t to, const void* from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory"); }
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT> __device__ __forceinline__ void arrived() { asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory"); }

// Tiles of 128 rows of A and of B, 64 BF16 of each, with the 128-byte swizzle of wgmma: chunk c of row r lies at c ^ r % 8.
const int STAGE = 2 * 128 * 64 * 2;
extern __shared__ __align__(1024) uint8_t stages[];
__device__ __forceinline__ void load_stage(const __nv_bfloat16* a, const __nv_bfloat16* b, int depth, int k, uint32_t to) {
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int row = threadIdx.x / 8 + 32 * (j % 4), chunk = threadIdx.x % 8;
        copy16(to + (j / 4) * (STAGE / 2) + row * 128 + ((chunk ^ (row & 7)) << 4), (j / 4 ? b : a) + (size_t)row * depth + k + chunk * 8);
    }
}

#define OPERANDS const __nv_bfloat16 *__restrict__ a, const __nv_bfloat16 *__restrict__ b, float *__restrict__ c, int n, int depth

__global__ void narrowed(const float* __restrict__ x, __nv_bfloat16* __restrict__ y, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) y[i] = __float2bfloat16(x[i]);
}
