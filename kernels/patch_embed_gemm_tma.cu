// patch_embed_gemm: the patch-embedding product of a vision transformer in FP8, bias and position embedding added on the way out.
//
// Shows:      a Hopper tensor-core kernel with roles: one thread feeds a ring of TMA copies, two warpgroups take tiles in turn, so that
//             one multiplies while the other adds, converts and stores. A block keeps its 192 rows of the weights in shared memory
//             for good; only patches move.
// Limiter:    the tensor pipe, and the power that it takes: the clock gives way to the power limit.
// Tiles:      64 images at one position, not 64 rows in a row: all rows of a tile add the same 192 values, which stay in
//             registers for as long as the position does. A tensor map that sees the rows as [image, position, k] makes such a tile
//             one box.
// Order:      each of 33 lanes of four blocks walks a run of tiles of its own, images first, so that lanes are far apart in memory.
//             Four blocks of a lane read the same patches at about the same time, each for its 192 columns.
// Stores:     the rows of the weights lie permuted in shared memory, so that a thread's sums are 8 neighbouring columns and leave by
//             16-byte stores without an exchange between lanes.
// Shape:      patches 928256 x 768, weights 768 x 768 (row n holds output column n), E4M3, row-major; bias 768 BF16;
//             pos_embed 196 x 768 BF16; out 928256 x 768 BF16. Inputs must hold no NaN (E4M3 0x7f and 0xff).
// Launch:     grid 132 x 1 x 1 (any multiple of 4), block 384 x 1 x 1, dynamic shared memory 229632 bytes.
// Arguments:  __nv_bfloat16* out [928256 * 768], CUtensorMap patches (seen as 4736 x 196 x 768, box 64 x 1 x 128), CUtensorMap weights
//             (seen as 24 x 4 x 4 x 2 x 768, box 6 x 4 x 1 x 2 x 128), both maps 128-byte swizzle and passed by value;
//             const __nv_bfloat16* bias [768], const __nv_bfloat16* pos_embed [196 * 768]
// Result:     out[m * 768 + n] == bf16(sum over k of patches[m * 768 + k] * weights[n * 768 + k] + bias[n] + pos_embed[(m mod 196) * 768 + n])
//             up to the order and the accumulator width of the tensor cores
// Chips:      sm_90a only.

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

namespace {

constexpr unsigned Images = 4736;
constexpr unsigned Positions = 196;
constexpr unsigned Depth = 768;    // bytes, and E4M3 values, of a row of either input
constexpr unsigned Columns = 768;  // of the output
constexpr unsigned TileM = 64;     // images of a tile
constexpr unsigned TileN = 192;    // columns of a block
constexpr unsigned TileK = 128;    // bytes of a row per stage: one row of a 128-byte swizzle atom
constexpr unsigned Stages = 10;
constexpr unsigned Steps = Depth / TileK;
constexpr unsigned Slices = Columns / TileN;
constexpr unsigned TilesAlong = Images / TileM;  // of one position
constexpr unsigned Tiles = TilesAlong * Positions;
constexpr unsigned Groups = TileN / 32u;  // of 32 columns, of which a lane of four takes 8
constexpr unsigned WeightBytes = TileN * TileK;  // of a step
constexpr unsigned StageBytes = TileM * TileK;
constexpr unsigned StageOffset = Steps * WeightBytes;
constexpr unsigned BarrierOffset = StageOffset + Stages * StageBytes;
constexpr unsigned Ahead = 2;  // tiles by which the prefetch into L2 is ahead of the ring
constexpr unsigned Consumers = 2;  // warpgroups
constexpr unsigned Sums = TileN / 2u;

static_assert(Images % TileM == 0 && Columns % TileN == 0 && Depth % TileK == 0, "the shape is a whole number of tiles");

// Operand descriptor of wgmma for a K-major tile in the 128-byte swizzle: start address and the stride between groups of
// eight rows (1024 bytes) in units of 16 bytes, layout 1 in the top two bits (PTX ISA, "Matrix descriptor", wgmma).
__device__ __forceinline__ uint64_t operand(unsigned shared)
{
    return uint64_t((shared & 0x3ffffu) >> 4) | uint64_t(1) << 16 | uint64_t(1024u >> 4) << 32 | uint64_t(1) << 62;
}

__device__ __forceinline__ void barrier_init(unsigned barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_expect(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Passes once the phase of this parity is over; one that has not begun and the one before last look the same, so that nobody
// may wait for a phase before the one in front of it is over.
__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred done;\nAGAIN_%=:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra AGAIN_%=;\n}" ::"r"(barrier), "r"(parity)
        : "memory");
}

// 128 bytes of each row of a tile.
__device__ __forceinline__ void load_patches(unsigned shared, const CUtensorMap* map, unsigned barrier, unsigned along, unsigned position,
                                             unsigned image)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared),
                 "l"(map), "r"(along), "r"(position), "r"(image), "r"(barrier)
                 : "memory");
}

// The same into L2 only.
__device__ __forceinline__ void prefetch_patches(const CUtensorMap* map, unsigned along, unsigned position, unsigned image)
{
    asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(map), "r"(along), "r"(position), "r"(image) : "memory");
}

// Output column 32 g + 8 q + 2 p + e is row [g][q][p][e] of the weights. A box holds one p, so that in shared memory it is row
// [p][g][q][e]: lane q of four, whose sums of an 8-column block are the columns of its q, gets columns 8 q to 8 q + 7 of a group.
__device__ __forceinline__ void load_weights(unsigned shared, const CUtensorMap* map, unsigned barrier, unsigned along, unsigned pair, unsigned group)
{
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %3, %5}], [%6];" ::"r"(shared),
        "l"(map), "r"(along), "r"(0), "r"(pair), "r"(group), "r"(barrier)
        : "memory");
}

#define AUDIT_SUM_4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define AUDIT_SUM_16(i) AUDIT_SUM_4(i), AUDIT_SUM_4(i + 4), AUDIT_SUM_4(i + 8), AUDIT_SUM_4(i + 12)
#define AUDIT_SUM_96 AUDIT_SUM_16(0), AUDIT_SUM_16(16), AUDIT_SUM_16(32), AUDIT_SUM_16(48), AUDIT_SUM_16(64), AUDIT_SUM_16(80)

// sum (64 x 192, one warpgroup) = a (64 x 32) * b (192 x 32)^T, plus the old sum where accumulate is not zero.
__device__ __forceinline__ void multiply(float (&sum)[Sums], uint64_t a, uint64_t b, unsigned accumulate)
{
    asm volatile(
        "{\n.reg .pred keep;\nsetp.ne.b32 keep, %98, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n192k32.f32.e4m3.e4m3 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
        "%96, %97, keep, 1, 1;\n}"
        : AUDIT_SUM_96
        : "l"(a), "l"(b), "r"(accumulate));
}

// Waits until at most `Pending` groups of products of this warpgroup are in flight; naming the sums keeps their uses behind it.
template <unsigned Pending>
__device__ __forceinline__ void wait_for_products(float (&sum)[Sums])
{
    asm volatile("wgmma.wait_group.sync.aligned %96;" : AUDIT_SUM_96 : "n"(Pending) : "memory");
}

__device__ __forceinline__ unsigned pack(float left, float right)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(left, right);
    return *reinterpret_cast<const unsigned*>(&pair);
}

__device__ __forceinline__ float2 unpack(unsigned pair)
{
    return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair));
}

// What a thread adds to its 8 columns of each group: bias and embedding of the position.
__device__ __forceinline__ void load_added(float (&added)[Groups * 8u], const __nv_bfloat16* bias, const __nv_bfloat16* embedding)
{
#pragma unroll
    for (unsigned group = 0; group < Groups; ++group) {
        const uint4 left = *reinterpret_cast<const uint4*>(bias + group * 32u);
        const uint4 right = *reinterpret_cast<const uint4*>(embedding + group * 32u);
        const unsigned lefts[4] = {left.x, left.y, left.z, left.w};
        const unsigned rights[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
        for (unsigned part = 0; part < 4u; ++part) {
            const float2 x = unpack(lefts[part]);
            const float2 y = unpack(rights[part]);
            added[group * 8u + part * 2u] = x.x + y.x;
            added[group * 8u + part * 2u + 1u] = x.y + y.y;
        }
    }
}

// Lane l of warp w holds, of its warpgroup's 64 x 192 sums, rows 16 w + l / 4 and 8 below it, and of each 8 rows of the
// weights in shared memory the two from 2 * (l mod 4): sum[4 j + 0, 1] in the upper row, sum[4 j + 2, 3] in the lower one.
__device__ __forceinline__ void store_tile(__nv_bfloat16* upper, __nv_bfloat16* lower, const float (&sum)[Sums], const float (&added)[Groups * 8u])
{
#pragma unroll
    for (unsigned group = 0; group < Groups; ++group) {
        unsigned above[4];
        unsigned below[4];
#pragma unroll
        for (unsigned part = 0; part < 4u; ++part) {
            const unsigned j = (part * Groups + group) * 4u;
            const float left = added[group * 8u + part * 2u];
            const float right = added[group * 8u + part * 2u + 1u];
            above[part] = pack(sum[j] + left, sum[j + 1u] + right);
            below[part] = pack(sum[j + 2u] + left, sum[j + 3u] + right);
        }
        *reinterpret_cast<uint4*>(upper + group * 32u) = make_uint4(above[0], above[1], above[2], above[3]);
        *reinterpret_cast<uint4*>(lower + group * 32u) = make_uint4(below[0], below[1], below[2], below[3]);
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128 * (Consumers + 1), 1)
patch_embed_gemm(__nv_bfloat16* __restrict__ out, const __grid_constant__ CUtensorMap patches, const __grid_constant__ CUtensorMap weights,
                 const __nv_bfloat16* __restrict__ bias, const __nv_bfloat16* __restrict__ pos_embed)
{
    // The swizzle counts from multiples of 1024 bytes; nothing else is in shared memory, so that this is one.
    extern __shared__ __align__(1024) uint8_t buffer[];
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(buffer));
    const auto full = [&](unsigned stage) { return base + BarrierOffset + stage * 8u; };
    const auto empty = [&](unsigned stage) { return base + BarrierOffset + (Stages + stage) * 8u; };
    const auto turn_of = [&](unsigned warpgroup) { return base + BarrierOffset + (2u * Stages + warpgroup) * 8u; };
    const auto weights_full = [&](unsigned step) { return base + BarrierOffset + (2u * Stages + Consumers + step) * 8u; };

    const unsigned slice = blockIdx.x % Slices;
    const unsigned run = (Tiles + gridDim.x / Slices - 1u) / (gridDim.x / Slices);
    const unsigned first = blockIdx.x / Slices * run;
    const unsigned end = first < Tiles ? min(first + run, Tiles) : first;
    const unsigned warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / 128u, 0);  // so that the compiler knows it is the same in a warp

    if (threadIdx.x == 0u) {
        for (unsigned stage = 0; stage < Stages; ++stage) {
            barrier_init(full(stage));
            barrier_init(empty(stage));
        }
        for (unsigned consumer = 0; consumer < Consumers; ++consumer) {
            barrier_init(turn_of(consumer));
        }
        for (unsigned step = 0; step < Steps; ++step) {
            barrier_init(weights_full(step));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    if (warpgroup == Consumers) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x % 128u == 0u) {
            for (unsigned step = 0; step < Steps; ++step) {
                barrier_expect(weights_full(step), WeightBytes);
                for (unsigned pair = 0; pair < 4u; ++pair) {
                    load_weights(base + step * WeightBytes + pair * (WeightBytes / 4u), &weights, weights_full(step), step * TileK, pair,
                                 slice * Groups);
                }
            }
            unsigned at = 0;
#pragma unroll 1
            for (unsigned tile = first; tile < end; ++tile) {
                const unsigned position = tile / TilesAlong;
                const unsigned image = tile % TilesAlong * TileM;
                const unsigned later = tile + Ahead < end ? tile + Ahead : end - 1u;
                const unsigned later_position = later / TilesAlong;
                const unsigned later_image = later % TilesAlong * TileM;
#pragma unroll 1
                for (unsigned step = 0; step < Steps; ++step, ++at) {
                    const unsigned stage = at % Stages;
                    barrier_wait(empty(stage), (at / Stages & 1u) ^ 1u);
                    barrier_expect(full(stage), StageBytes);
                    load_patches(base + StageOffset + stage * StageBytes, &patches, full(stage), step * TileK, position, image);
                    // The four blocks of a lane share this work.
                    if (step % Slices == slice) {
                        prefetch_patches(&patches, step * TileK, later_position, later_image);
                    }
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const bool speaks = threadIdx.x % 128u == 0u;
        const unsigned row = threadIdx.x / 32u % 4u * 16u + threadIdx.x % 32u / 4u;
        const unsigned column = slice * TileN + threadIdx.x % 4u * 8u;
        unsigned held = Positions;  // whose values `added` holds
        float added[Groups * 8u];
        bool is_first = true;
#pragma unroll 1
        for (unsigned tile = first + warpgroup; tile < end; tile += Consumers) {
            const unsigned position = tile / TilesAlong;
            if (position != held) {
                held = position;
                load_added(added, bias + column, pos_embed + position * Columns + column);
            }
            const unsigned turn = (tile - first) / Consumers;
            unsigned at = (tile - first) * Steps;
            float sum[Sums];
            // One warpgroup after the other: the ring's phases come in order, and each has the tensor cores to itself.
            barrier_wait(turn_of(warpgroup), (turn & 1u) ^ (warpgroup == 0u ? 1u : 0u));
#pragma unroll
            for (unsigned step = 0; step < Steps; ++step, ++at) {
                const unsigned stage = at % Stages;
                if (is_first) {
                    barrier_wait(weights_full(step), 0u);
                }
                barrier_wait(full(stage), at / Stages & 1u);
                const uint64_t a_operand = operand(base + StageOffset + stage * StageBytes);
                const uint64_t b_operand = operand(base + step * WeightBytes);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (unsigned k = 0; k < TileK / 32u; ++k) {
                    multiply(sum, a_operand + k * 2u, b_operand + k * 2u, step + k);  // limiter
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                // The products of the step before are done with their stage; those of this step run on.
                if (step > 0u) {
                    wait_for_products<1>(sum);
                    if (speaks) {
                        barrier_arrive(empty((at - 1u) % Stages));
                    }
                }
            }
            is_first = false;
            if (speaks) {
                barrier_arrive(turn_of(warpgroup ^ 1u));
            }
            wait_for_products<0>(sum);
            if (speaks) {
                barrier_arrive(empty((at - 1u) % Stages));
            }
            __nv_bfloat16* upper = out + (size_t(tile % TilesAlong * TileM + row) * Positions + position) * Columns + column;
            store_tile(upper, upper + size_t(8u * Positions) * Columns, sum, added);
        }
    }
}
