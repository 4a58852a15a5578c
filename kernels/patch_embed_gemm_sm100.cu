// patch_embed_gemm_sm100: the patch-embedding product on the fifth-generation tensor cores, one role per warp.
//
// Shows:      Blackwell's instructions and a warp-specialised control flow: a TMA warp (UTMALDG), an MMA warp (UTCQMMA, UTCBAR),
//             four epilogue warps (LDTM, 256-bit stores), and the mbarriers between them. Two accumulators of 256 columns fill
//             tensor memory, so that the products of one tile run beside the epilogue of the one before.
// Limiter:    the epilogue: device-memory stores and pos_embed loads of four warps (by design; not measured).
// Shape:      patches 928256 x 768, weights 768 x 768 (row n holds output column n), E4M3, row-major; bias 768 BF16;
//             pos_embed 196 x 768 BF16; out 928256 x 768 BF16, 32-byte aligned. Inputs must hold no NaN (E4M3 0x7f and 0xff).
// Launch:     grid 148 x 1 x 1 (any: blocks take tiles in turn), block 192 x 1 x 1, dynamic shared memory 197632 bytes.
// Arguments:  __nv_bfloat16* out [928256 * 768], CUtensorMap patches (box 128 bytes x 128 rows), CUtensorMap weights (box 128 bytes x
//             256 rows), const __nv_bfloat16* bias [768], const __nv_bfloat16* pos_embed [196 * 768]; both maps: UINT8, 2-D,
//             row pitch 768 bytes, 128-byte swizzle, no interleave. The maps are passed by value.
// Result:     out[m * 768 + n] == bf16(sum over k of patches[m * 768 + k] * weights[n * 768 + k] + bias[n] + pos_embed[(m mod 196) * 768 + n])
// Chips:      sm_100a only.

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

namespace {

constexpr unsigned Rows = 928256;
constexpr unsigned Depth = 768;    // bytes, and E4M3 values, of a row of either input
constexpr unsigned Columns = 768;  // of the output
constexpr unsigned Positions = 196;
constexpr unsigned TileM = 128;
constexpr unsigned TileN = 256;
constexpr unsigned TileK = 128;  // bytes of a row per stage: one row of a 128-byte swizzle atom
constexpr unsigned Stages = 4;
constexpr unsigned StepsPerTile = Depth / TileK;
constexpr unsigned TilesAcross = Columns / TileN;
constexpr unsigned Tiles = (Rows / TileM) * TilesAcross;
constexpr unsigned WeightsOffset = TileM * TileK;
constexpr unsigned StageBytes = (TileM + TileN) * TileK;
constexpr unsigned Accumulators = 2;  // of TileN columns each: all 512 columns of tensor memory
constexpr unsigned EpilogueWarps = 4;
constexpr unsigned LoadWarp = 4;
constexpr unsigned ProductWarp = 5;

// Instruction descriptor of tcgen05.mma kind::f8f6f4: FP32 sums, E4M3 operands, both K-major, N / 8 and M / 16
// (PTX ISA, "Instruction descriptor", tcgen05).
constexpr uint32_t ProductShape = 1u << 4 | (TileN / 8u) << 17 | (TileM / 16u) << 24;

static_assert(Rows % TileM == 0 && Columns % TileN == 0 && Depth % TileK == 0, "the shape is a whole number of tiles");

// Operand descriptor of a K-major tile in the 128-byte swizzle: start address and the stride between groups of eight rows
// (1024 bytes) in units of 16 bytes, version 1 at bit 46, swizzle 2 at bit 61 (PTX ISA, "Shared memory descriptor", tcgen05).
__device__ __forceinline__ uint64_t operand(unsigned shared)
{
    return uint64_t((shared & 0x3ffffu) >> 4) | uint64_t(1) << 16 | uint64_t(1024u >> 4) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
}

__device__ __forceinline__ bool elect_one()
{
    unsigned elected;
    asm volatile("{\n.reg .pred one;\nelect.sync _|one, 0xffffffff;\nselp.u32 %0, 1, 0, one;\n}" : "=r"(elected));
    return elected != 0u;
}

__device__ __forceinline__ void barrier_init(unsigned barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void barrier_expect(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
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

__device__ __forceinline__ void load_tile(unsigned shared, const CUtensorMap* map, unsigned barrier, unsigned byte, unsigned row)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared),
                 "l"(map), "r"(byte), "r"(row), "r"(barrier)
                 : "memory");
}

// tensor memory at sum (128 x 256) = a (128 x 32) * b (256 x 32)^T, plus the old sum where accumulate is not zero.
__device__ __forceinline__ void multiply(unsigned sum, uint64_t a, uint64_t b, unsigned accumulate)
{
    asm volatile(
        "{\n.reg .pred keep;\nsetp.ne.b32 keep, %4, 0;\n"
        "tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %2, %3, keep;\n}" ::"r"(sum),
        "l"(a), "l"(b), "r"(ProductShape), "r"(accumulate)
        : "memory");
}

// The barrier gets one arrival when every product issued so far has finished.
__device__ __forceinline__ void commit_products(unsigned barrier)
{
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void load_sums(uint32_t (&sum)[16], unsigned address)
{
    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, [%16];"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3]), "=r"(sum[4]), "=r"(sum[5]), "=r"(sum[6]), "=r"(sum[7]), "=r"(sum[8]),
          "=r"(sum[9]), "=r"(sum[10]), "=r"(sum[11]), "=r"(sum[12]), "=r"(sum[13]), "=r"(sum[14]), "=r"(sum[15])
        : "r"(address));
}

// Naming the sums keeps their uses behind the wait.
__device__ __forceinline__ void wait_for_sums(uint32_t (&sum)[16])
{
    asm volatile("tcgen05.wait::ld.sync.aligned;"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]), "+r"(sum[5]), "+r"(sum[6]), "+r"(sum[7]),
                   "+r"(sum[8]), "+r"(sum[9]), "+r"(sum[10]), "+r"(sum[11]), "+r"(sum[12]), "+r"(sum[13]), "+r"(sum[14]), "+r"(sum[15])::"memory");
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

// A lane holds one row of the tile; each step takes 16 of its columns from tensor memory to 32 bytes of the output.
__device__ __forceinline__ void store_tile(__nv_bfloat16* out, const __nv_bfloat16* bias, const __nv_bfloat16* pos_embed, unsigned sums,
                                           unsigned tile)
{
    const unsigned row = (tile / TilesAcross) * TileM + threadIdx.x;
    const unsigned first_column = (tile % TilesAcross) * TileN;
    const auto* offsets = reinterpret_cast<const uint4*>(bias + first_column);
    const auto* positions = reinterpret_cast<const uint4*>(pos_embed + (row % Positions) * Columns + first_column);
    __nv_bfloat16* target = out + size_t(row) * Columns + first_column;
#pragma unroll 2
    for (unsigned column = 0; column < TileN; column += 16u) {
        uint32_t sum[16];
        load_sums(sum, sums + column);
        unsigned offset[8];
        unsigned position[8];
        *reinterpret_cast<uint4*>(offset) = offsets[column / 8u];
        *reinterpret_cast<uint4*>(offset + 4) = offsets[column / 8u + 1u];
        *reinterpret_cast<uint4*>(position) = positions[column / 8u];
        *reinterpret_cast<uint4*>(position + 4) = positions[column / 8u + 1u];
        wait_for_sums(sum);
        unsigned word[8];
#pragma unroll
        for (unsigned i = 0; i < 8u; ++i) {
            word[i] = add_and_pack(sum[i * 2u], sum[i * 2u + 1u], offset[i], position[i]);
        }
        store_32_bytes(target + column, word);  // limiter
    }
}

struct Barriers {
    uint64_t full[Stages];              // a stage holds its bytes
    uint64_t empty[Stages];             // the products have read the stage
    uint64_t finished[Accumulators];    // the sums of a tile are complete
    uint64_t drained[Accumulators];     // the epilogue has read them
};

__device__ __forceinline__ unsigned shared_address(const void* pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

}  // namespace

__global__ void __launch_bounds__(192, 1)
patch_embed_gemm_sm100(__nv_bfloat16* __restrict__ out, const __grid_constant__ CUtensorMap patches,
                       const __grid_constant__ CUtensorMap weights, const __nv_bfloat16* __restrict__ bias,
                       const __nv_bfloat16* __restrict__ pos_embed)
{
    extern __shared__ uint8_t buffer[];
    __shared__ Barriers barriers;
    __shared__ uint32_t tensor_memory;
    const unsigned base = (shared_address(buffer) + 1023u) & ~1023u;
    const unsigned warp = __shfl_sync(0xffffffffu, threadIdx.x / 32u, 0);

    if (warp == LoadWarp && elect_one()) {
        for (unsigned i = 0; i < Stages; ++i) {
            barrier_init(shared_address(barriers.full + i), 1u);
            barrier_init(shared_address(barriers.empty + i), 1u);
        }
        for (unsigned i = 0; i < Accumulators; ++i) {
            barrier_init(shared_address(barriers.finished + i), 1u);
            barrier_init(shared_address(barriers.drained + i), EpilogueWarps);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (warp == ProductWarp) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 512;" ::"r"(shared_address(&tensor_memory)) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    const unsigned sums = tensor_memory;

    // Every role walks the same tiles; at counts stages, turn counts tiles, and each barrier's parity follows from its count.
    if (warp == LoadWarp) {
        if (elect_one()) {
            unsigned at = 0;
#pragma unroll 1
            for (unsigned tile = blockIdx.x; tile < Tiles; tile += gridDim.x) {
#pragma unroll 1
                for (unsigned step = 0; step < StepsPerTile; ++step, ++at) {
                    const unsigned slot = at % Stages;
                    const unsigned full = shared_address(barriers.full + slot);
                    const unsigned stage = base + slot * StageBytes;
                    barrier_wait(shared_address(barriers.empty + slot), (at / Stages & 1u) ^ 1u);
                    barrier_expect(full, StageBytes);
                    load_tile(stage, &patches, full, step * TileK, (tile / TilesAcross) * TileM);
                    load_tile(stage + WeightsOffset, &weights, full, step * TileK, (tile % TilesAcross) * TileN);
                }
            }
        }
        __syncwarp();
    } else if (warp == ProductWarp) {
        if (elect_one()) {
            unsigned at = 0;
            unsigned turn = 0;
#pragma unroll 1
            for (unsigned tile = blockIdx.x; tile < Tiles; tile += gridDim.x, ++turn) {
                const unsigned half = turn % Accumulators;
                barrier_wait(shared_address(barriers.drained + half), (turn / Accumulators & 1u) ^ 1u);
                asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
#pragma unroll 1
                for (unsigned step = 0; step < StepsPerTile; ++step, ++at) {
                    const unsigned slot = at % Stages;
                    barrier_wait(shared_address(barriers.full + slot), at / Stages & 1u);
                    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
                    const uint64_t a = operand(base + slot * StageBytes);
                    const uint64_t b = operand(base + slot * StageBytes + WeightsOffset);
#pragma unroll
                    for (unsigned k = 0; k < TileK / 32u; ++k) {
                        multiply(sums + half * TileN, a + k * 2u, b + k * 2u, step + k);
                    }
                    commit_products(shared_address(barriers.empty + slot));
                }
                commit_products(shared_address(barriers.finished + half));
            }
        }
        __syncwarp();
    } else {
        unsigned turn = 0;
        for (unsigned tile = blockIdx.x; tile < Tiles; tile += gridDim.x, ++turn) {
            const unsigned half = turn % Accumulators;
            barrier_wait(shared_address(barriers.finished + half), turn / Accumulators & 1u);
            asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
            // A warp reaches the 32 lanes of tensor memory that its place in the warpgroup names, in the address's upper half.
            store_tile(out, bias, pos_embed, sums + half * TileN + (warp * 32u << 16), tile);
            asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
            __syncwarp();
            if (elect_one()) {
                barrier_arrive(shared_address(barriers.drained + half));
            }
        }
    }

    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    if (warp == ProductWarp) {
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 512;" ::"r"(sums) : "memory");
    }
}
