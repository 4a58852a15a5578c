// patch_embed_gemm_sm100: the patch-embedding product on the fifth-generation tensor cores, MXFP8, one role per warp, on pairs of
// multiprocessors.
//
// Shows:      cta_group::2: two blocks of a cluster multiply one tile of 256 rows, each with half of the operands in its shared memory and
//             half of the sums in its tensor memory. A TMA warp, an MMA warp (in the first block of the pair alone), four epilogue warps,
//             which meet at mbarriers only. Two accumulators, so that the products of one tile run beside the epilogue of the one
//             before, and the scales, take one allocation of all 512 columns; accumulators of 256 columns leave the scales no room.
//             The epilogue is pipelined: 32 columns are on their way from tensor memory while the 32 before are worked on.
// Variants:   -DSCALED=1 -DTILE_N=128: scales of 32 values, two accumulators of 128 columns; -DSCALED=0 -DTILE_N=256: no scales, two of
//             256 columns.
// Limiter:    the epilogue: device-memory stores and pos_embed loads of four warps (by design; not measured).
// Shape:      patches 928256 x 768, weights 768 x 768 (row n holds output column n), E4M3, row-major, with an E8M0 scale for 32 values of
//             a row (SCALED); bias 768 BF16; pos_embed 196 x 768 BF16; out 928256 x 768 BF16, 32-byte aligned. Inputs must hold no NaN.
//             Scales in tiles of 128 rows by 4: byte ((row / 128) * 6 + s / 4) * 512 + row % 32 * 16 + row % 128 / 32 * 4 + s % 4 scales
//             values 32 s on of a row, as tcgen05.cp takes them.
// Launch:     grid 148 x 1 x 1 in clusters of 2 (any even number: pairs take tiles in turn), block 192 x 1 x 1, dynamic shared memory
//             205824 bytes; without scales 197632.
// Arguments:  __nv_bfloat16* out [928256 * 768], CUtensorMap patches (box 128 bytes x 128 rows), CUtensorMap weights (box 128 bytes x
//             TILE_N / 2 rows), both UINT8, 2-D, row pitch 768 bytes, 128-byte swizzle; CUtensorMap patch_scale, CUtensorMap weight_scale: the
//             scales as rows of 256 bytes, box 256 bytes x 2 rows, no swizzle (not read without scales); const __nv_bfloat16* bias [768], const __nv_bfloat16*
//             pos_embed [196 * 768]. The maps are passed by value.
// Result:     out[m * 768 + n] == bf16(sum over k of patches[m * 768 + k] * patch_scale[m][k / 32] * weights[n * 768 + k] *
//             weight_scale[n][k / 32] + bias[n] + pos_embed[(m mod 196) * 768 + n]); without scales they are 1
// Chips:      sm_100a only.

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

#include "sm100.cuh"

namespace {

constexpr unsigned Rows = 928256;
constexpr unsigned Depth = 768;    // bytes, and E4M3 values, of a row of either input
constexpr unsigned Columns = 768;  // of the output
constexpr unsigned Positions = 196;
constexpr bool Scaled = SCALED != 0;
constexpr unsigned TileM = 256, TileN = TILE_N;
constexpr unsigned StepBytes = 128;  // of a row per stage: one row of a 128-byte swizzle atom
constexpr unsigned Steps = Depth / StepBytes;
constexpr unsigned Products = StepBytes / 32u;  // of a stage
constexpr unsigned ScaleTile = 512;             // bytes: the scales of 128 rows for a stage
constexpr unsigned ScaleColumns = 4;            // of tensor memory that they take
constexpr unsigned Stages = TileN == 256u ? 6u : 8u;
constexpr unsigned ColumnsOffset = 128u * StepBytes;
constexpr unsigned RowScaleOffset = ColumnsOffset + TileN / 2u * StepBytes;
constexpr unsigned ColumnScaleOffset = RowScaleOffset + ScaleTile;
constexpr unsigned LoadedBytes = Scaled ? ColumnScaleOffset + ScaleTile : RowScaleOffset;
constexpr unsigned StageBytes = (LoadedBytes + 1023u) & ~1023u;
constexpr unsigned Accumulators = 2;
constexpr unsigned RowScaleColumn = Accumulators * TileN;  // of tensor memory
constexpr unsigned ColumnScaleColumn = RowScaleColumn + ScaleColumns;
constexpr unsigned TilesAcross = Columns / TileN;
constexpr unsigned Tiles = Rows / TileM * TilesAcross;
constexpr unsigned ChunkColumns = 32;  // of the sums that the epilogue loads at once
constexpr unsigned EpilogueWarps = 4, LoadWarp = 4, ProductWarp = 5;

// Instruction descriptor of tcgen05.mma: E4M3 operands, both K-major, N / 8, M / 16; of kind::mxf8f6f4 UE8M0 scales at bit 23, of
// kind::f8f6f4 FP32 sums at bit 4 (PTX ISA, "Instruction descriptor", tcgen05).
constexpr uint32_t ProductShape = (Scaled ? 1u << 23 : 1u << 4) | (TileN / 8u) << 17 | (TileM / 16u) << 24;

static_assert(Rows % TileM == 0 && Columns % TileN == 0 && Depth % StepBytes == 0, "the shape is a whole number of tiles");
static_assert(1024u + Stages * StageBytes + 1024u <= 232448u, "a block has 227 KB of shared memory, static and driver's included");
static_assert(!Scaled || TileN == 128u, "the scales of 128 columns fill a tile");
static_assert((Scaled ? ColumnScaleColumn + ScaleColumns : RowScaleColumn) <= 512u, "tensor memory has 512 columns");
static_assert(TileN % (2u * ChunkColumns) == 0, "the epilogue takes two chunks in turn");

// tensor memory at sum (256 x TileN) = a (256 x 32) * b (TileN x 32)^T, plus the old sum where accumulate is not zero.
__device__ __forceinline__ void multiply(unsigned sum, uint64_t a, uint64_t b, unsigned shape, unsigned accumulate)
{
    asm volatile(
        "{\n.reg .pred keep;\nsetp.ne.b32 keep, %4, 0;\n"
        "tcgen05.mma.cta_group::2.kind::f8f6f4 [%0], %1, %2, %3, keep;\n}" ::"r"(sum),
        "l"(a), "l"(b), "r"(shape), "r"(accumulate)
        : "memory");
}

// The same with the scales of both operands.
__device__ __forceinline__ void multiply_scaled(unsigned sum, uint64_t a, uint64_t b, unsigned shape, unsigned a_scale, unsigned b_scale,
                                                unsigned accumulate)
{
    asm volatile(
        "{\n.reg .pred keep;\nsetp.ne.b32 keep, %6, 0;\n"
        "tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale.scale_vec::1X [%0], %1, %2, %3, [%4], [%5], keep;\n}" ::"r"(sum),
        "l"(a), "l"(b), "r"(shape), "r"(a_scale), "r"(b_scale), "r"(accumulate)
        : "memory");
}

__device__ __forceinline__ void store_32_bytes(__nv_bfloat16* to, const unsigned (&word)[8])
{
    asm volatile("st.global.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(to), "r"(word[0]), "r"(word[1]), "r"(word[2]),
                 "r"(word[3]), "r"(word[4]), "r"(word[5]), "r"(word[6]), "r"(word[7])
                 : "memory");
}

__device__ __forceinline__ unsigned add_and_pack(uint32_t left, uint32_t right, unsigned offset, unsigned position)
{
    const float2 x = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&offset));
    const float2 y = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&position));
    const __nv_bfloat162 pair = __floats2bfloat162_rn(__uint_as_float(left) + (x.x + y.x), __uint_as_float(right) + (x.y + y.y));
    return *reinterpret_cast<const unsigned*>(&pair);
}

// Bias and position embedding of the columns that a load of sums brings.
struct Addends {
    uint4 offset[ChunkColumns / 8u];
    uint4 position[ChunkColumns / 8u];
};

__device__ __forceinline__ void load_addends(Addends& to, const uint4* offsets, const uint4* positions)
{
#pragma unroll
    for (unsigned i = 0; i < ChunkColumns / 8u; ++i) {
        to.offset[i] = offsets[i];
        to.position[i] = positions[i];
    }
}

// Columns of a row: sums, bias and position embedding to the output, 32 bytes at a time.
__device__ __forceinline__ void store_chunk(__nv_bfloat16* target, const Addends& addends, const uint32_t (&sum)[ChunkColumns])
{
    const auto* offset = reinterpret_cast<const unsigned*>(addends.offset);
    const auto* position = reinterpret_cast<const unsigned*>(addends.position);
#pragma unroll
    for (unsigned column = 0; column < ChunkColumns; column += 16u) {
        unsigned word[8];
#pragma unroll
        for (unsigned i = 0; i < 8u; ++i) {
            const unsigned at = column + i * 2u;
            word[i] = add_and_pack(sum[at], sum[at + 1u], offset[at / 2u], position[at / 2u]);
        }
        store_32_bytes(target + column, word);  // limiter
    }
}

// A lane holds one row of the block's half of the tile. While 32 columns are added, converted and stored, the next 32 are on their
// way from tensor memory into registers of their own, and what is added to them from device memory.
__device__ __forceinline__ void store_tile(__nv_bfloat16* out, const __nv_bfloat16* bias, const __nv_bfloat16* pos_embed, unsigned sums,
                                           unsigned row, unsigned first_column)
{
    const auto* offsets = reinterpret_cast<const uint4*>(bias + first_column);
    const auto* positions = reinterpret_cast<const uint4*>(pos_embed + (row % Positions) * Columns + first_column);
    __nv_bfloat16* target = out + size_t(row) * Columns + first_column;
    uint32_t sum[2][ChunkColumns];
    Addends addends[2];
    load_sums(sum[0], sums);
    load_addends(addends[0], offsets, positions);
#pragma unroll
    for (unsigned column = 0; column < TileN; column += ChunkColumns) {
        const unsigned now = column / ChunkColumns % 2u, next = column + ChunkColumns;
        wait_for_sums(sum[now]);
        if (next < TileN) {
            load_sums(sum[now ^ 1u], sums + next);
            load_addends(addends[now ^ 1u], offsets + next / 8u, positions + next / 8u);
        }
        keep_order();
        store_chunk(target + column, addends[now], sum[now]);
    }
}

struct Barriers {
    uint64_t full[Stages];            // of the first block: a stage of both holds its bytes
    uint64_t empty[Stages];           // the products have read the stage
    uint64_t finished[Accumulators];  // the sums of a tile are complete
    uint64_t drained[Accumulators];   // of the first block: the epilogues of both have read them
};

}  // namespace

__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(192, 1)
patch_embed_gemm_sm100(__nv_bfloat16* __restrict__ out, const __grid_constant__ CUtensorMap patches,
                       const __grid_constant__ CUtensorMap weights, const __grid_constant__ CUtensorMap patch_scale,
                       const __grid_constant__ CUtensorMap weight_scale, const __nv_bfloat16* __restrict__ bias,
                       const __nv_bfloat16* __restrict__ pos_embed)
{
    extern __shared__ uint8_t buffer[];
    __shared__ Barriers barriers;
    __shared__ uint32_t tensor_memory;
    const unsigned base = (shared_address(buffer) + 1023u) & ~1023u;
    const unsigned warp = __shfl_sync(0xffffffffu, threadIdx.x / 32u, 0);
    const unsigned rank = blockIdx.x % 2u, pair = blockIdx.x / 2u, pairs = gridDim.x / 2u;

    if (warp == LoadWarp && elect_one()) {
        for (unsigned i = 0; i < Stages; ++i) {
            barrier_init(shared_address(barriers.full + i), 1u);
            barrier_init(shared_address(barriers.empty + i), 1u);
        }
        for (unsigned i = 0; i < Accumulators; ++i) {
            barrier_init(shared_address(barriers.finished + i), 1u);
            barrier_init(shared_address(barriers.drained + i), 2u * EpilogueWarps);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (warp == ProductWarp) {
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 512;" ::"r"(shared_address(&tensor_memory)) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    cluster_sync();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    const unsigned sums = tensor_memory;

    // Every role walks the same tiles; at counts stages, turn counts tiles, and each barrier's parity follows from its count.
    if (warp == LoadWarp) {
        if (elect_one()) {
            unsigned at = 0;
#pragma unroll 1
            for (unsigned tile = pair; tile < Tiles; tile += pairs) {
                const unsigned row = tile / TilesAcross * TileM + rank * 128u, column = tile % TilesAcross * TileN;
                constexpr unsigned Across = Depth / 128u * (ScaleTile / 256u);  // rows of 256 bytes for 128 rows of an operand
#pragma unroll 1
                for (unsigned step = 0; step < Steps; ++step, ++at) {
                    const unsigned slot = at % Stages, stage = base + slot * StageBytes, full = shared_address(barriers.full + slot);
                    barrier_wait(shared_address(barriers.empty + slot), (at / Stages & 1u) ^ 1u);
                    if (rank == 0u) {
                        barrier_expect(full, 2u * LoadedBytes);
                    }
                    load_box(stage, &patches, full, step * StepBytes, row);
                    load_box(stage + ColumnsOffset, &weights, full, step * StepBytes, column + rank * (TileN / 2u));
                    if constexpr (Scaled) {
                        load_box(stage + RowScaleOffset, &patch_scale, full, 0u, row / 128u * Across + step * (ScaleTile / 256u));
                        load_box(stage + ColumnScaleOffset, &weight_scale, full, 0u, column / 128u * Across + step * (ScaleTile / 256u));
                    }
                }
            }
        }
        __syncwarp();
    } else if (warp == ProductWarp) {
        if (rank == 0u && elect_one()) {
            unsigned at = 0, turn = 0;
#pragma unroll 1
            for (unsigned tile = pair; tile < Tiles; tile += pairs, ++turn) {
                const unsigned half = turn % Accumulators;
                barrier_wait(shared_address(barriers.drained + half), (turn / Accumulators & 1u) ^ 1u);
                asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
#pragma unroll 1
                for (unsigned step = 0; step < Steps; ++step, ++at) {
                    const unsigned slot = at % Stages, stage = base + slot * StageBytes;
                    barrier_wait(shared_address(barriers.full + slot), at / Stages & 1u);
                    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
                    if constexpr (Scaled) {
                        copy_scales(sums + RowScaleColumn, operand(stage + RowScaleOffset, 128u, 0u));
                        copy_scales(sums + ColumnScaleColumn, operand(stage + ColumnScaleOffset, 128u, 0u));
                    }
                    const uint64_t rows = operand(stage, 1024u, 2u), columns = operand(stage + ColumnsOffset, 1024u, 2u);
#pragma unroll
                    for (unsigned k = 0; k < Products; ++k) {
                        if constexpr (Scaled) {
                            // Product k takes scale k of the four.
                            multiply_scaled(sums + half * TileN, rows + k * 2u, columns + k * 2u, ProductShape | k << 4 | k << 29,
                                            sums + RowScaleColumn, sums + ColumnScaleColumn, step + k);
                        } else {
                            multiply(sums + half * TileN, rows + k * 2u, columns + k * 2u, ProductShape, step + k);
                        }
                    }
                    commit_products(shared_address(barriers.empty + slot));
                }
                commit_products(shared_address(barriers.finished + half));
            }
        }
        __syncwarp();
    } else {
        unsigned turn = 0;
        for (unsigned tile = pair; tile < Tiles; tile += pairs, ++turn) {
            const unsigned half = turn % Accumulators;
            barrier_wait(shared_address(barriers.finished + half), turn / Accumulators & 1u);
            asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
            // A warp reaches the 32 lanes of tensor memory that its place in the warpgroup names, in the address's upper half.
            const unsigned row = tile / TilesAcross * TileM + rank * 128u + threadIdx.x;
            store_tile(out, bias, pos_embed, sums + half * TileN + (warp * 32u << 16), row, tile % TilesAcross * TileN);
            asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
            __syncwarp();
            if (elect_one()) {
                arrive_at_leader(shared_address(barriers.drained + half));
            }
        }
    }

    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    cluster_sync();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    if (warp == ProductWarp) {
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 512;" ::"r"(sums) : "memory");
    }
}
