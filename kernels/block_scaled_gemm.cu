// block_scaled_gemm: product of FP4 matrices with a scale for each block of a row, on pairs of multiprocessors.
//
// Shows:      cta_group::2 on Blackwell: two blocks of a cluster multiply one tile of 256 rows; each holds half of the operands in its
//             shared memory and half of the sums in its tensor memory. Scales go from shared to tensor memory by tcgen05.cp, in line
//             with the products that use them. A TMA warp, an MMA warp (in the first block of the pair alone) and four epilogue warps.
// Variants:   -DVECTOR=16: NVFP4, UE4M3 scales of 16 values; -DVECTOR=32: MXFP4, E8M0 scales of 32 values.
//             -DTILE_N=128: two accumulators, so that products run beside the epilogue; -DTILE_N=256: one, with the scales beside it.
// Limiter:    tensor cores (by design; not measured).
// Shape:      a 8192 x 1024, b 8192 x 1024 (row n holds output column n), E2M1, two to a byte; out 8192 x 8192 FP16.
//             Scales in tiles of 128 rows by 4: byte ((row / 128) * (1024 / VECTOR / 4) + s / 4) * 512 + row % 32 * 16 +
//             row % 128 / 32 * 4 + s % 4 scales values VECTOR * s on of a row, as tcgen05.cp takes them.
// Launch:     grid 148 x 1 x 1 in clusters of 2 (any even number: pairs take tiles in turn), block 192 x 1 x 1, dynamic shared memory
//             1024 + STAGES * (16384 + 64 * TILE_N + 8192 / VECTOR * 4 * (1 + TILE_N / 128)) bytes, STAGES = 5 for TILE_N 256, else 6.
// Arguments:  __half* out [8192 * 8192], CUtensorMap a (box 128 bytes x 128 rows), CUtensorMap b (box 128 bytes x TILE_N / 2 rows),
//             both UINT8, 2-D, row pitch 512 bytes, 128-byte swizzle; CUtensorMap a_scale, CUtensorMap b_scale: the scales as rows of
//             256 bytes, box 256 bytes x 128 / VECTOR rows, no swizzle.
// Result:     out[m * 8192 + n] == fp16(sum over k of a[m][k] * a_scale[m][k / VECTOR] * b[n][k] * b_scale[n][k / VECTOR])
// Chips:      sm_100a only.

#include <cstdint>
#include <cuda.h>
#include <cuda_fp16.h>

#include "sm100.cuh"

namespace {

constexpr unsigned Rows = 8192, Columns = 8192, Depth = 1024;
constexpr unsigned TileM = 256, TileN = TILE_N, Vector = VECTOR;
constexpr unsigned StepBytes = 128;               // of a row per stage: one row of a 128-byte swizzle atom
constexpr unsigned StepK = 2u * StepBytes;        // values
constexpr unsigned Steps = Depth / StepK;
constexpr unsigned Products = StepK / 64u;        // of a stage
constexpr unsigned ScaleBytes = StepK / Vector * 128u;  // of 128 rows per stage
constexpr unsigned ScaleTile = 512;               // bytes: 128 rows by four scales
constexpr unsigned ScaleColumns = 4;              // of tensor memory that such a tile takes
constexpr unsigned ScaleTiles = ScaleBytes / ScaleTile;
constexpr unsigned Stages = TileN == 256u ? 5u : 6u;
constexpr unsigned ColumnsOffset = 128u * StepBytes;
constexpr unsigned RowScaleOffset = ColumnsOffset + TileN / 2u * StepBytes;
constexpr unsigned ColumnScaleOffset = RowScaleOffset + ScaleBytes;
constexpr unsigned StageBytes = ColumnScaleOffset + TileN / 128u * ScaleBytes;
constexpr unsigned Accumulators = TileN == 256u ? 1u : 2u;
constexpr unsigned RowScaleColumn = Accumulators * TileN;  // of tensor memory
constexpr unsigned ColumnScaleColumn = RowScaleColumn + ScaleTiles * ScaleColumns;
constexpr unsigned TilesAcross = Columns / TileN;
constexpr unsigned Tiles = Rows / TileM * TilesAcross;
constexpr unsigned EpilogueWarps = 4, LoadWarp = 4, ProductWarp = 5;

// Instruction descriptor of tcgen05.mma kind::mxf4nvf4 and kind::mxf4: E2M1 operands, both K-major, FP32 sums, N / 8, the type of the
// scales (0 UE4M3, 1 UE8M0) and M / 16 (PTX ISA, "Instruction descriptor", tcgen05).
constexpr uint32_t ProductShape = 1u << 7 | 1u << 10 | (TileN / 8u) << 17 | (Vector == 32u ? 1u : 0u) << 23 | (TileM / 16u) << 24;

static_assert(Vector == 16u || Vector == 32u, "NVFP4 has blocks of 16 values, MXFP4 of 32");
static_assert(ColumnScaleColumn + TileN / 128u * ScaleTiles * ScaleColumns <= 512u, "tensor memory has 512 columns");

// tensor memory at sum (256 x TileN) = a (256 x 64) * b (TileN x 64)^T with their scales, plus the old sum where accumulate is not zero.
__device__ __forceinline__ void multiply(unsigned sum, uint64_t a, uint64_t b, unsigned shape, unsigned a_scale, unsigned b_scale, unsigned accumulate)
{
#if VECTOR == 16
#define AUDIT_KIND "kind::mxf4nvf4.block_scale.scale_vec::4X"
#else
#define AUDIT_KIND "kind::mxf4.block_scale.scale_vec::2X"
#endif
    asm volatile(
        "{\n.reg .pred keep;\nsetp.ne.b32 keep, %6, 0;\n"
        "tcgen05.mma.cta_group::2." AUDIT_KIND " [%0], %1, %2, %3, [%4], [%5], keep;\n}" ::"r"(sum),
        "l"(a), "l"(b), "r"(shape), "r"(a_scale), "r"(b_scale), "r"(accumulate)
        : "memory");
}

// 32 columns of a row to the output, 32 bytes at a time.
__device__ __forceinline__ void store_chunk(__half* target, const uint32_t (&sum)[32])
{
#pragma unroll
    for (unsigned column = 0; column < 32u; column += 16u) {
        unsigned word[8];
#pragma unroll
        for (unsigned i = 0; i < 8u; ++i) {
            const unsigned at = column + i * 2u;
            const __half2 pair = __floats2half2_rn(__uint_as_float(sum[at]), __uint_as_float(sum[at + 1u]));
            word[i] = *reinterpret_cast<const unsigned*>(&pair);
        }
        asm volatile("st.global.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(target + column), "r"(word[0]), "r"(word[1]), "r"(word[2]),
                     "r"(word[3]), "r"(word[4]), "r"(word[5]), "r"(word[6]), "r"(word[7])
                     : "memory");
    }
}

// A lane holds one row of the block's half of the tile. While 64 columns are converted and stored, the next 64 are on their way from
// tensor memory into registers of their own.
__device__ __forceinline__ void store_tile(__half* target, unsigned sums)
{
    uint32_t sum[2][2][32];
    load_sums(sum[0][0], sums);
    load_sums(sum[0][1], sums + 32u);
#pragma unroll
    for (unsigned column = 0; column < TileN; column += 64u) {
        const unsigned now = column / 64u % 2u;
        wait_for_sums(sum[now][0]);
        wait_for_sums(sum[now][1]);
        if (column + 64u < TileN) {
            load_sums(sum[now ^ 1u][0], sums + column + 64u);
            load_sums(sum[now ^ 1u][1], sums + column + 96u);
        }
        keep_order();
        store_chunk(target + column, sum[now][0]);
        store_chunk(target + column + 32u, sum[now][1]);
    }
}

struct Barriers {
    uint64_t full[Stages];            // of the first block: a stage of both holds its bytes
    uint64_t empty[Stages];           // the products have read the stage
    uint64_t finished[Accumulators];  // the sums of a tile are complete
    uint64_t drained[Accumulators];   // of the first block: the epilogues of both have read them
};

}  // namespace

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(192, 1)
block_scaled_gemm(__half* __restrict__ out, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                  const __grid_constant__ CUtensorMap a_scale, const __grid_constant__ CUtensorMap b_scale)
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
                constexpr unsigned Across = Depth / Vector / 4u * (ScaleTile / 256u);  // rows of 256 bytes for 128 rows of an operand
#pragma unroll 1
                for (unsigned step = 0; step < Steps; ++step, ++at) {
                    const unsigned slot = at % Stages, stage = base + slot * StageBytes, full = shared_address(barriers.full + slot);
                    const unsigned scales = step * (ScaleBytes / 256u);
                    barrier_wait(shared_address(barriers.empty + slot), (at / Stages & 1u) ^ 1u);
                    if (rank == 0u) {
                        barrier_expect(full, 2u * StageBytes);
                    }
                    load_box(stage, &a, full, step * StepBytes, row);
                    load_box(stage + ColumnsOffset, &b, full, step * StepBytes, column + rank * (TileN / 2u));
                    load_box(stage + RowScaleOffset, &a_scale, full, 0u, row / 128u * Across + scales);
#pragma unroll
                    for (unsigned part = 0; part < TileN / 128u; ++part) {
                        load_box(stage + ColumnScaleOffset + part * ScaleBytes, &b_scale, full, 0u, (column / 128u + part) * Across + scales);
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
#pragma unroll
                    for (unsigned tile_at = 0; tile_at < ScaleTiles; ++tile_at) {
                        copy_scales(sums + RowScaleColumn + tile_at * ScaleColumns, operand(stage + RowScaleOffset + tile_at * ScaleTile, 128u, 0u));
#pragma unroll
                        for (unsigned part = 0; part < TileN / 128u; ++part) {
                            copy_scales(sums + ColumnScaleColumn + (tile_at * (TileN / 128u) + part) * ScaleColumns,
                                        operand(stage + ColumnScaleOffset + part * ScaleBytes + tile_at * ScaleTile, 128u, 0u));
                        }
                    }
                    const uint64_t rows = operand(stage, 1024u, 2u), columns = operand(stage + ColumnsOffset, 1024u, 2u);
#pragma unroll
                    for (unsigned k = 0; k < Products; ++k) {
                        // A tile of four scales serves one product of NVFP4, and two of MXFP4: the second takes its upper half.
                        const unsigned tile_at = k * ScaleTiles / Products, upper = Vector == 32u ? k % 2u * 2u : 0u;
                        multiply(sums + half * TileN, rows + k * 2u, columns + k * 2u, ProductShape | upper << 4 | upper << 29,
                                 sums + RowScaleColumn + tile_at * ScaleColumns,
                                 sums + ColumnScaleColumn + tile_at * (TileN / 128u) * ScaleColumns, step + k);  // limiter
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
            const size_t row = tile / TilesAcross * TileM + rank * 128u + threadIdx.x;
            store_tile(out + row * Columns + tile % TilesAcross * TileN, sums + half * TileN + (warp * 32u << 16));
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
