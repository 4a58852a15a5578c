// gemm_bf16_cluster: BF16 product with wgmma, fed by TMA; two blocks of a cluster share the tile of b.
//
// Shows:      tensor maps as arguments, a cluster, multicast TMA, and mbarriers across two blocks. Each block loads its own
//             128 rows of a and half of the 256 rows of b; the half goes to both blocks, so that b crosses L2 once for two tiles.
// Limiter:    the tensor pipe; a block stores its tile while nothing multiplies, so that ends of tiles hold it back.
// Shape:      a 4096 x 4096, b 4096 x 4096 (row n holds output column n), out 4096 x 4096, all BF16, row-major, 16-byte aligned.
// Launch:     grid 32 x 16 x 1, cluster 2 x 1 x 1, block 384 x 1 x 1, dynamic shared memory 197696 bytes.
// Arguments:  __nv_bfloat16* out [4096 * 4096], CUtensorMap a (box 64 columns x 128 rows), CUtensorMap b (the same box); both
//             maps: BFLOAT16, 2-D, row pitch 8192 bytes, 128-byte swizzle, no interleave. The maps are passed by value.
// Fences:     -DFENCED gives the barriers release and acquire at cluster scope: a MEMBAR for each arrival and a dropped L1 for
//             each wait, which nothing here needs, since only TMA writes what the products read.
// Result:     out[m * 4096 + n] == bf16(sum over k of a[m * 4096 + k] * b[n * 4096 + k])
// Chips:      sm_90a only.

#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>

#ifdef FENCED
#define AUDIT_RELEASE ".release.cluster"
#define AUDIT_ACQUIRE ".acquire.cluster"
#else
#define AUDIT_RELEASE
#define AUDIT_ACQUIRE
#endif

namespace {

constexpr unsigned Side = 4096;  // rows, columns and depth
constexpr unsigned TileM = 128;
constexpr unsigned TileN = 256;
constexpr unsigned TileK = 64;  // values of a row per stage: one row of a 128-byte swizzle atom
constexpr unsigned RowBytes = TileK * 2u;
constexpr unsigned Steps = Side / TileK;
constexpr unsigned Stages = 4;
constexpr unsigned ClusterBlocks = 2;
constexpr unsigned Consumers = TileM / 64u;  // warpgroups
constexpr unsigned SharedRows = TileN / ClusterBlocks;  // of b that a block loads for the whole cluster
constexpr unsigned BOffset = TileM * RowBytes;
constexpr unsigned StageBytes = (TileM + TileN) * RowBytes;
constexpr unsigned BarrierOffset = Stages * StageBytes;

static_assert(Side % TileM == 0 && Side % TileN == 0 && Side % TileK == 0, "the shape is a whole number of tiles");

// Operand descriptor of wgmma for a K-major tile in the 128-byte swizzle: start address and the stride between groups of
// eight rows (1024 bytes) in units of 16 bytes, layout 1 in the top two bits (PTX ISA, "Matrix descriptor", wgmma).
__device__ __forceinline__ uint64_t operand(unsigned shared)
{
    return uint64_t((shared & 0x3ffffu) >> 4) | uint64_t(1) << 16 | uint64_t(1024u >> 4) << 32 | uint64_t(1) << 62;
}

__device__ __forceinline__ unsigned rank_in_cluster()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void meet_the_cluster()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ void barrier_init(unsigned barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void barrier_expect(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Arrives at the barrier at the same place in another block of the cluster.
__device__ __forceinline__ void barrier_arrive_at(unsigned barrier, unsigned block)
{
    asm volatile(
        "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive" AUDIT_RELEASE ".shared::cluster.b64 _, [there];\n}" ::"r"(barrier),
        "r"(block)
        : "memory");
}

__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred done;\nAGAIN_%=:\n"
        "mbarrier.try_wait.parity" AUDIT_ACQUIRE ".shared::cta.b64 done, [%0], %1;\n"
        "@!done bra AGAIN_%=;\n}" ::"r"(barrier), "r"(parity)
        : "memory");
}

__device__ __forceinline__ void load_own(unsigned shared, const CUtensorMap* map, unsigned barrier, unsigned column, unsigned row)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared),
                 "l"(map), "r"(column), "r"(row), "r"(barrier)
                 : "memory");
}

// The same to the same place of every block of the cluster; each block's own barrier counts the bytes.
__device__ __forceinline__ void load_for_all(unsigned shared, const CUtensorMap* map, unsigned barrier, unsigned column, unsigned row)
{
    constexpr uint16_t All = (1u << ClusterBlocks) - 1u;
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
            shared),
        "l"(map), "r"(column), "r"(row), "r"(barrier), "h"(All)
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

// Lane l of warp w holds, of its warpgroup's 64 x 256 sums, rows 16 w + l / 4 and 8 below it, and of each 8 columns the two
// from 2 * (l mod 4): sum[4 j + 0, 1] in the upper row, sum[4 j + 2, 3] in the lower one.
__device__ __forceinline__ void store_tile(__nv_bfloat16* out, const float (&sum)[128], unsigned first_row, unsigned first_column)
{
    const unsigned lane = threadIdx.x % 32u;
    const unsigned row = first_row + (threadIdx.x / 32u % 4u) * 16u + lane / 4u;
    __nv_bfloat16* target = out + size_t(row) * Side + first_column + (lane & 3u) * 8u;
#pragma unroll
    for (unsigned group = 0; group < TileN / 32u; ++group) {
        unsigned word[2][4];
#pragma unroll
        for (unsigned part = 0; part < 4u; ++part) {
            const unsigned j = (group * 4u + part) * 4u;
            word[0][part] = pack(sum[j], sum[j + 1u]);
            word[1][part] = pack(sum[j + 2u], sum[j + 3u]);
        }
        *reinterpret_cast<uint4*>(target + group * 32u) = transpose_in_quad(word[0]);
        *reinterpret_cast<uint4*>(target + 8u * Side + group * 32u) = transpose_in_quad(word[1]);
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128 * (1 + Consumers), 1)
gemm_bf16_cluster(__nv_bfloat16* __restrict__ out, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b)
{
    extern __shared__ uint8_t buffer[];
    const unsigned base = (static_cast<unsigned>(__cvta_generic_to_shared(buffer)) + 1023u) & ~1023u;
    const auto full = [&](unsigned stage) { return base + BarrierOffset + stage * 8u; };
    const auto empty = [&](unsigned stage) { return base + BarrierOffset + (Stages + stage) * 8u; };
    const unsigned rank = rank_in_cluster();
    const unsigned warpgroup = threadIdx.x / 128u;
    const unsigned first_row = blockIdx.x * TileM;
    const unsigned first_column = blockIdx.y * TileN;

    if (threadIdx.x == 0u) {
        for (unsigned stage = 0; stage < Stages; ++stage) {
            barrier_init(full(stage), 1u);
            barrier_init(empty(stage), Consumers * ClusterBlocks);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    meet_the_cluster();

    if (warpgroup == 0u) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0u) {
#pragma unroll 1
            for (unsigned step = 0; step < Steps; ++step) {
                const unsigned stage = step % Stages;
                const unsigned shared = base + stage * StageBytes;
                barrier_wait(empty(stage), (step / Stages & 1u) ^ 1u);
                barrier_expect(full(stage), StageBytes);
                load_own(shared, &a, full(stage), step * TileK, first_row);
                load_for_all(shared + BOffset + rank * SharedRows * RowBytes, &b, full(stage), step * TileK, first_column + rank * SharedRows);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const bool speaks = threadIdx.x % 128u == 0u;
        const auto release = [&](unsigned step) {
            if (speaks) {
                for (unsigned block = 0; block < ClusterBlocks; ++block) {
                    barrier_arrive_at(empty(step % Stages), block);
                }
            }
        };
        float sum[128];
#pragma unroll 1
        for (unsigned step = 0; step < Steps; ++step) {
            const unsigned shared = base + step % Stages * StageBytes;
            barrier_wait(full(step % Stages), step / Stages & 1u);
            const uint64_t a_operand = operand(shared + (warpgroup - 1u) * 64u * RowBytes);
            const uint64_t b_operand = operand(shared + BOffset);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (unsigned k = 0; k < TileK / 16u; ++k) {
                multiply(sum, a_operand + k * 2u, b_operand + k * 2u, step + k);  // limiter
            }
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            // The products of the step before are done with their stage; those of this step run on.
            wait_for_products<1>(sum);
            if (step > 0u) {
                release(step - 1u);
            }
        }
        wait_for_products<0>(sum);
        store_tile(out, sum, first_row + (warpgroup - 1u) * 64u, first_column);
    }
    // No block leaves while the other may still arrive at its barriers.
    meet_the_cluster();
}
