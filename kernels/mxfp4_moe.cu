// mxfp4_moe: rows of a mixture of experts times MXFP4 weights; a row takes part with the weights of its expert alone.
//
// Shows:      a warpgroup decodes E2M1 weights with E8M0 scales in registers and writes them once, with 16-byte stores, into the
//             swizzled tile; two others multiply it with wgmma. Routing indices gather the rows of x.
// Variants:   -DKERNEL=mxfp4_moe_w1_swiglu -DSWIGLU=1 gates: rows 2 i and 2 i + 1 of the weights give one output column.
//             -DKERNEL=mxfp4_moe_w2, -DKERNEL=mxfp4_grouped_matmul: the product alone, at other shapes.
//             -DEXPERTS, -DCAPACITY, -DCOLUMNS and -DDEPTH give the shape.
// Limiter:    the tensor pipe; decoding shares issue slots and shared memory with it.
// Launch:     grid EXPERTS * CAPACITY / 128 x COLUMNS / 256 x 1, block 384 x 1 x 1, dynamic shared memory 197696 bytes.
// Arguments:  bf16* out [EXPERTS * CAPACITY * outputs], const bf16* x [tokens * DEPTH], const unsigned* index [EXPERTS * CAPACITY],
//             const unsigned* count [EXPERTS], const uint8_t* weight [EXPERTS * COLUMNS * DEPTH / 2],
//             const uint8_t* scale [EXPERTS * COLUMNS * DEPTH / 32]; outputs = COLUMNS, halved by SWIGLU
// Result:     for r < count[e], with v[n] = sum over k of x[index[e][r]][k] * e2m1(weight[e][n][k]) * 2^(scale[e][n][k / 32] - 127):
//             out[e][r][n] == v[n], with SWIGLU out[e][r][n] == silu(v[2 n]) * v[2 n + 1]; other rows stay as they were
// Chips:      sm_90a only.

#include <cstdint>
#include <cuda_bf16.h>

#ifndef SWIGLU
#define SWIGLU 0
#endif

namespace {

constexpr unsigned TileM = 128;
constexpr unsigned TileN = 256;
constexpr unsigned TileK = 64;  // values of a row per stage: one row of a 128-byte swizzle atom
constexpr unsigned RowBytes = TileK * 2u;
constexpr unsigned Steps = DEPTH / TileK;
constexpr unsigned Stages = 4;
constexpr unsigned WeightOffset = TileM * RowBytes;
constexpr unsigned StageBytes = (TileM + TileN) * RowBytes;
constexpr unsigned BarrierOffset = Stages * StageBytes;
constexpr unsigned Consumers = TileM / 64u;  // warpgroups
constexpr unsigned Producers = 128;          // threads
constexpr unsigned Tiles = CAPACITY / TileM;
constexpr bool Gated = SWIGLU != 0;
constexpr unsigned Outputs = Gated ? COLUMNS / 2 : COLUMNS;

static_assert(CAPACITY % TileM == 0 && COLUMNS % TileN == 0 && Steps % 4 == 0, "the shape is a whole number of tiles");

// Operand descriptor of wgmma for a K-major tile in the 128-byte swizzle: start address and the stride between groups of
// eight rows (1024 bytes) in units of 16 bytes, layout 1 in the top two bits (PTX ISA, "Matrix descriptor", wgmma).
__device__ __forceinline__ uint64_t operand(unsigned shared)
{
    return uint64_t((shared & 0x3ffffu) >> 4) | uint64_t(1) << 16 | uint64_t(1024u >> 4) << 32 | uint64_t(1) << 62;
}

__device__ __forceinline__ void barrier_init(unsigned barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void barrier_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred done;\nAGAIN_%=:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra AGAIN_%=;\n}" ::"r"(barrier), "r"(parity)
        : "memory");
}

#define AUDIT_SUM_4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define AUDIT_SUM_16(i) AUDIT_SUM_4(i), AUDIT_SUM_4(i + 4), AUDIT_SUM_4(i + 8), AUDIT_SUM_4(i + 12)
#define AUDIT_SUM_64(i) AUDIT_SUM_16(i), AUDIT_SUM_16(i + 16), AUDIT_SUM_16(i + 32), AUDIT_SUM_16(i + 48)

// sum (64 x 256, one warpgroup) = a (64 x 16) * b (256 x 16)^T, plus the old sum where accumulate is not zero.
__device__ __forceinline__ void multiply(float (&sum)[128], uint64_t a, uint64_t b, unsigned accumulate)
{
    asm volatile(
        "{\n.reg .pred keep;\nsetp.ne.b32 keep, %130, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, keep, 1, 1, 0, 0;\n}"
        : AUDIT_SUM_64(0), AUDIT_SUM_64(64)
        : "l"(a), "l"(b), "r"(accumulate));
}

// Waits until at most `Pending` groups of products of this warpgroup are in flight; naming the sums keeps their uses behind it.
template <unsigned Pending>
__device__ __forceinline__ void wait_for_products(float (&sum)[128])
{
    asm volatile("wgmma.wait_group.sync.aligned %128;" : AUDIT_SUM_64(0), AUDIT_SUM_64(64) : "n"(Pending) : "memory");
}

__device__ __forceinline__ unsigned scaled(unsigned pair, __nv_bfloat162 factor)
{
    const __nv_bfloat162 product = __hmul2(*reinterpret_cast<const __nv_bfloat162*>(&pair), factor);
    return *reinterpret_cast<const unsigned*>(&product);
}

// Four E2M1 values in the lower half of `code` as two words of BF16, in order. A byte of a value is looked up by its three
// bits of magnitude: 0, 1/2, 1, 3/2, 2, 3, 4, 6; a selector with its fourth bit set copies the top bit of the byte that it
// names, and so turns the sign into 0xff beside 0x80.
__device__ __forceinline__ uint2 decode_four(unsigned code, __nv_bfloat162 factor)
{
    const unsigned magnitude = code & 0x7777u;
    const unsigned high = __byte_perm(0x3f3f3f00u, 0x40404040u, magnitude);
    const unsigned low = __byte_perm(0xc0800000u, 0xc0804000u, magnitude);
    unsigned sign;
    asm("prmt.b32 %0, %1, %1, %2;" : "=r"(sign) : "r"(0x80808080u), "r"(code));
    const unsigned upper = high | (sign << 1u & 0x80808080u);
    return make_uint2(scaled(__byte_perm(low, upper, 0x5140u), factor), scaled(__byte_perm(low, upper, 0x7362u), factor));
}

// A power of two from its E8M0 code, in both halves.
__device__ __forceinline__ __nv_bfloat162 power_of_two(unsigned code)
{
    const unsigned both = code * 0x00800080u;
    return *reinterpret_cast<const __nv_bfloat162*>(&both);
}

// Decodes 32 values of a row with one scale into four 16-byte pieces of the swizzled row.
__device__ __forceinline__ void write_block(unsigned row_address, unsigned row, unsigned first_piece, uint4 packed, unsigned scale)
{
    const __nv_bfloat162 factor = power_of_two(scale);
    const unsigned word[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
    for (unsigned i = 0; i < 4u; ++i) {
        const uint2 low = decode_four(word[i], factor), high = decode_four(word[i] >> 16, factor);
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(row_address + ((first_piece + i) ^ (row & 7u)) * 16u), "r"(low.x),
                     "r"(low.y), "r"(high.x), "r"(high.y)
                     : "memory");
    }
}

__device__ __forceinline__ unsigned pack(float left, float right)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(left, right);
    return *reinterpret_cast<const unsigned*>(&pair);
}

// Lane q of four gives word[0..3] and gets word q of lanes 0, 1, 2, 3.
__device__ __forceinline__ uint4 transpose_in_quad(const unsigned (&word)[4])
{
    const bool odd = threadIdx.x & 1u;
    const bool high = threadIdx.x & 2u;
    unsigned x[4];
#pragma unroll
    for (unsigned i = 0; i < 4u; i += 2u) {
        const unsigned other = __shfl_xor_sync(0xffffffffu, odd ? word[i] : word[i + 1u], 1);
        x[i] = odd ? other : word[i];
        x[i + 1u] = odd ? word[i + 1u] : other;
    }
#pragma unroll
    for (unsigned i = 0; i < 2u; ++i) {
        const unsigned other = __shfl_xor_sync(0xffffffffu, high ? x[i] : x[i + 2u], 2);
        x[i] = high ? other : x[i];
        x[i + 2u] = high ? x[i + 2u] : other;
    }
    return make_uint4(x[0], x[1], x[2], x[3]);
}

__device__ __forceinline__ float gated(float gate, float up)
{
    return __fdividef(gate, 1.0f + __expf(-gate)) * up;
}

// Lane l of warp w holds, of its warpgroup's 64 x 256 sums, rows 16 w + l / 4 and 8 below it, and of each 8 columns the two
// from 2 * (l mod 4): sum[4 j + 0, 1] in the upper row, sum[4 j + 2, 3] in the lower one.
__device__ __forceinline__ void store_tile(__nv_bfloat16* out, const float (&sum)[128], unsigned first_row, unsigned first_column, unsigned rows)
{
    const unsigned lane = threadIdx.x % 32u;
#pragma unroll
    for (unsigned half = 0; half < 2u; ++half) {
        const unsigned row = first_row + (threadIdx.x / 32u % 4u) * 16u + lane / 4u + half * 8u;
        __nv_bfloat16* target = out + size_t(row) * Outputs + first_column + (lane & 3u) * 8u;
        constexpr unsigned Group = Gated ? 8u : 4u;
#pragma unroll
        for (unsigned group = 0; group < TileN / 8u / Group; ++group) {
            unsigned word[4];
#pragma unroll
            for (unsigned part = 0; part < 4u; ++part) {
                const unsigned j = (group * Group + part * (Group / 4u)) * 4u + half * 2u;
                word[part] = Gated ? pack(gated(sum[j], sum[j + 1u]), gated(sum[j + 4u], sum[j + 5u])) : pack(sum[j], sum[j + 1u]);
            }
            uint4 piece = transpose_in_quad(word);
            if (Gated) {
                piece = make_uint4(__byte_perm(piece.x, piece.y, 0x5410u), __byte_perm(piece.z, piece.w, 0x5410u),
                                   __byte_perm(piece.x, piece.y, 0x7632u), __byte_perm(piece.z, piece.w, 0x7632u));
            }
            if (row < rows) {
                *reinterpret_cast<uint4*>(target + group * 32u) = piece;
            }
        }
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128 * Consumers + Producers, 1)
KERNEL(__nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ x, const unsigned* __restrict__ index,
       const unsigned* __restrict__ count, const uint8_t* __restrict__ weight, const uint8_t* __restrict__ scale)
{
    extern __shared__ uint8_t buffer[];
    const unsigned expert = blockIdx.x / Tiles, first_row = blockIdx.x % Tiles * TileM;
    const unsigned rows = count[expert];
    if (first_row >= rows) {
        return;
    }
    const unsigned base = (static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + 1023u) & ~1023u;
    const auto full = [&](unsigned step) { return base + BarrierOffset + step % Stages * 8u; };
    const auto empty = [&](unsigned step) { return base + BarrierOffset + (Stages + step % Stages) * 8u; };
    if (threadIdx.x == 0u) {
        for (unsigned stage = 0; stage < Stages; ++stage) {
            barrier_init(full(stage), Producers);
            barrier_init(empty(stage), Consumers);
        }
    }
    __syncthreads();

    if (threadIdx.x < Producers) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 104;");
        // Rows of x: eight threads copy one, each 16 bytes of it. Rows behind the last one are copies of that.
        const unsigned piece = threadIdx.x % 8u, copied = threadIdx.x / 8u;
        unsigned source[8];
#pragma unroll
        for (unsigned i = 0; i < 8u; ++i) {
            const unsigned row = min(first_row + copied + i * 16u, rows - 1u);
            source[i] = index[expert * CAPACITY + row] * DEPTH + piece * 8u;
        }
        // Rows of the weights: two threads decode one, a block of 32 values each, and those 64, 128 and 192 rows below.
        const unsigned row = threadIdx.x / 2u, block = threadIdx.x % 2u;
        const size_t column = size_t(expert) * COLUMNS + blockIdx.y * TileN + row;
        const uint8_t* const packed = weight + column * (DEPTH / 2) + block * 16u;
        const uint8_t* const scales = scale + column * (DEPTH / 32);
        uint4 code[4];
#pragma unroll
        for (unsigned part = 0; part < 4u; ++part) {
            code[part] = *reinterpret_cast<const uint4*>(packed + part * 32u * DEPTH);
        }
        uint2 power[4];  // of four steps
#pragma unroll 1
        for (unsigned step = 0; step < Steps; ++step) {
            const unsigned shared = base + step % Stages * StageBytes;
            if (step % 4u == 0u) {
#pragma unroll
                for (unsigned part = 0; part < 4u; ++part) {
                    power[part] = *reinterpret_cast<const uint2*>(scales + part * 2u * DEPTH + step * 2u);
                }
            }
            barrier_wait(empty(step), (step / Stages & 1u) ^ 1u);
#pragma unroll
            for (unsigned i = 0; i < 8u; ++i) {
                const unsigned target = shared + (copied + i * 16u) * RowBytes + (piece ^ (copied & 7u)) * 16u;
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(x + source[i] + step * TileK) : "memory");
            }
            asm volatile("cp.async.commit_group;" ::: "memory");
            const unsigned next = min(step + 1u, Steps - 1u) * (TileK / 2u);
            uint4 coming[4];
#pragma unroll
            for (unsigned part = 0; part < 4u; ++part) {
                coming[part] = *reinterpret_cast<const uint4*>(packed + part * 32u * DEPTH + next);
            }
#pragma unroll
            for (unsigned part = 0; part < 4u; ++part) {
                const unsigned codes = step & 2u ? power[part].y : power[part].x;
                write_block(shared + WeightOffset + (row + part * 64u) * RowBytes, row, block * 4u, code[part],
                            codes >> ((step & 1u) * 16u + block * 8u) & 0xffu);
                code[part] = coming[part];
            }
            // The copies of the step before have come; its stores are seen by wgmma behind the fence.
            asm volatile("cp.async.wait_group 1;" ::: "memory");
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            if (step > 0u) {
                barrier_arrive(full(step - 1u));
            }
        }
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        barrier_arrive(full(Steps - 1u));
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 200;");
        const unsigned warpgroup = (threadIdx.x - Producers) / 128u;
        float sum[128];
#pragma unroll 1
        for (unsigned step = 0; step < Steps; ++step) {
            const unsigned shared = base + step % Stages * StageBytes;
            barrier_wait(full(step), step / Stages & 1u);
            const uint64_t a_operand = operand(shared + warpgroup * 64u * RowBytes);
            const uint64_t b_operand = operand(shared + WeightOffset);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (unsigned k = 0; k < TileK / 16u; ++k) {
                multiply(sum, a_operand + k * 2u, b_operand + k * 2u, step + k);  // limiter
            }
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            // The products of the step before are done with their stage; those of this step run on.
            wait_for_products<1>(sum);
            if (step > 0u && threadIdx.x % 128u == 0u) {
                barrier_arrive(empty(step - 1u));
            }
        }
        wait_for_products<0>(sum);
        const unsigned first_output = blockIdx.y * (Gated ? TileN / 2u : TileN);
        store_tile(out + size_t(expert) * CAPACITY * Outputs, sum, first_row + warpgroup * 64u, first_output, rows);
    }
}
