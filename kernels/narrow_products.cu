// narrow_products: products of 64 x 64 by 64 x 256 whose operands stay in shared memory, in pieces of 32 columns.
//
// Shows:      what the shape of a product costs. A product of n columns keeps the tensor pipe for n / 2 cycles and reads its
//             operands in 16 + n / 4 wavefronts of shared memory: below 64 columns reading them takes longer.
// Limiter:    the L1 data stage, by operands of wgmma; with -DWIDE, one product of 256 columns, the tensor pipe.
// Shape:      a 16896 x 64, b 256 x 64 (row n holds output column n), both BF16; out 16896 x 256 FP32; all row-major.
// Launch:     grid 132 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 50176 bytes (49152, and up to 1024 for alignment).
// Arguments:  float* out, const __nv_bfloat16* a, const __nv_bfloat16* b
// Result:     out[m * 256 + n] == 256 * sum over k of a[m * 64 + k] * b[n * 64 + k]; exact for small integers
// Chips:      sm_90a only.

#include <cstdint>
#include <cuda_bf16.h>

namespace {

constexpr unsigned Groups = 2;  // warpgroups; each has 64 rows
constexpr unsigned Depth = 64;  // values of a row: one row of a 128-byte swizzle atom
constexpr unsigned RowBytes = Depth * 2u;
constexpr unsigned Columns = 256;
constexpr unsigned Steps = 256;  // how often the same product is added
constexpr unsigned BOffset = Groups * 64u * RowBytes;

#ifdef WIDE
constexpr unsigned Piece = 256;
#else
constexpr unsigned Piece = 32;
#endif

// Operand descriptor of wgmma for a K-major tile in the 128-byte swizzle: start address and the stride between groups of
// eight rows (1024 bytes) in units of 16 bytes, layout 1 in the top two bits (PTX ISA, "Matrix descriptor", wgmma).
__device__ __forceinline__ uint64_t operand(unsigned shared)
{
    return uint64_t((shared & 0x3ffffu) >> 4) | uint64_t(1) << 16 | uint64_t(1024u >> 4) << 32 | uint64_t(1) << 62;
}

#define AUDIT_SUM_4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define AUDIT_SUM_16(i) AUDIT_SUM_4(i), AUDIT_SUM_4(i + 4), AUDIT_SUM_4(i + 8), AUDIT_SUM_4(i + 12)
#define AUDIT_SUM_64(i) AUDIT_SUM_16(i), AUDIT_SUM_16(i + 16), AUDIT_SUM_16(i + 32), AUDIT_SUM_16(i + 48)

// Columns first to first + Piece of sum (64 x 256, one warpgroup) += a (64 x 16) * b (Piece x 16)^T.
template <unsigned First>
__device__ __forceinline__ void multiply(float (&sum)[128], uint64_t a, uint64_t b)
{
#ifdef WIDE
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, 1, 1, 1, 0, 0;"
        : AUDIT_SUM_64(0), AUDIT_SUM_64(64)
        : "l"(a), "l"(b));
#else
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
        "%16, %17, 1, 1, 1, 0, 0;"
        : AUDIT_SUM_16(First / 2u)
        : "l"(a), "l"(b));
#endif
}

// One step of a warpgroup: all columns, piece by piece, over the depth.
template <unsigned First = 0>
__device__ __forceinline__ void step(float (&sum)[128], uint64_t a, uint64_t b)
{
    if constexpr (First < Columns) {
#pragma unroll
        for (unsigned k = 0; k < Depth / 16u; ++k) {
            multiply<First>(sum, a + 2u * k, b + (First * RowBytes >> 4) + 2u * k);  // limiter
        }
        step<First + Piece>(sum, a, b);
    }
}

// Rows of 128 bytes from device memory into shared memory, in the 128-byte swizzle: vector v of row r stands at v ^ (r % 8).
__device__ __forceinline__ void load(unsigned char* to, const __nv_bfloat16* from, unsigned rows)
{
    for (unsigned i = threadIdx.x; i < rows * (RowBytes / 16u); i += blockDim.x) {
        const unsigned row = i / (RowBytes / 16u);
        const unsigned vector = i % (RowBytes / 16u);
        reinterpret_cast<uint4*>(to)[row * (RowBytes / 16u) + (vector ^ (row % 8u))] = reinterpret_cast<const uint4*>(from)[i];
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(Groups * 128u, 1)
    narrow_products(float* __restrict__ out, const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b)
{
    extern __shared__ unsigned char dynamic[];
    const unsigned start = static_cast<unsigned>(__cvta_generic_to_shared(dynamic));
    const unsigned aligned = (start + 1023u) & ~1023u;
    unsigned char* tiles = dynamic + (aligned - start);
    const unsigned group = threadIdx.x / 128u;
    const unsigned row = (blockIdx.x * Groups + group) * 64u;
    load(tiles, a + size_t(blockIdx.x) * Groups * 64u * Depth, Groups * 64u);
    load(tiles + BOffset, b, Columns);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();

    float sum[128] = {};
    const uint64_t left = operand(aligned + group * 64u * RowBytes);
    const uint64_t right = operand(aligned + BOffset);
    asm volatile("wgmma.fence.sync.aligned;" : AUDIT_SUM_64(0), AUDIT_SUM_64(64) : : "memory");
    for (unsigned turn = 0; turn < Steps; ++turn) {
        step(sum, left, right);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" : AUDIT_SUM_64(0), AUDIT_SUM_64(64) : : "memory");

    // Lane l of warp w holds rows 16 w + l / 4 and 8 below it, and of each 8 columns the two at 2 (l % 4).
    const unsigned lane = threadIdx.x % 32u;
    const unsigned first = row + threadIdx.x % 128u / 32u * 16u + lane / 4u;
#pragma unroll
    for (unsigned i = 0; i < 128u; i += 4u) {
        const unsigned column = i * 2u + lane % 4u * 2u;
        reinterpret_cast<float2*>(out)[(size_t(first) * Columns + column) / 2u] = make_float2(sum[i], sum[i + 1u]);
        reinterpret_cast<float2*>(out)[(size_t(first + 8u) * Columns + column) / 2u] = make_float2(sum[i + 2u], sum[i + 3u]);
    }
}
