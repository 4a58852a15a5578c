// Fifth-generation tensor cores (sm_100a), as far as kernels of this folder share them: barriers in shared memory, copies by the
// tensor memory accelerator, and what tcgen05 adds, on pairs of blocks (cta_group::2). One statement of PTX to a function.

#pragma once

#include <cstdint>
#include <cuda.h>

namespace {

constexpr unsigned LeaderMask = 0xfeffffffu;  // of a shared-memory address: the same place in the pair's first block

// Operand descriptor of a K-major tile: start address and the stride between groups of eight rows in units of 16 bytes, version 1 at
// bit 46, swizzle at bit 61: 2 for 128 bytes, 0 for none (PTX ISA, "Shared memory descriptor", tcgen05).
__device__ __forceinline__ uint64_t operand(unsigned shared, unsigned stride, unsigned swizzle)
{
    return uint64_t((shared & 0x3ffffu) >> 4) | uint64_t(1) << 16 | uint64_t(stride >> 4) << 32 | uint64_t(1) << 46 | uint64_t(swizzle) << 61;
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

// Arrives at the barrier of the pair's first block.
__device__ __forceinline__ void arrive_at_leader(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier & LeaderMask) : "memory");
}

__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred done;\nAGAIN_%=:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra AGAIN_%=;\n}" ::"r"(barrier), "r"(parity)
        : "memory");
}

// A box into this block's shared memory; its bytes count at the barrier of the pair's first block.
__device__ __forceinline__ void load_box(unsigned shared, const CUtensorMap* map, unsigned barrier, unsigned byte, unsigned row)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared),
        "l"(map), "r"(byte), "r"(row), "r"(barrier & LeaderMask)
        : "memory");
}

// 128 rows by four scales of both blocks of the pair, to their tensor memories.
__device__ __forceinline__ void copy_scales(unsigned column, uint64_t from)
{
    asm volatile("tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;" ::"r"(column), "l"(from) : "memory");
}

// The barrier of each block of the pair gets one arrival when every product issued so far has finished.
__device__ __forceinline__ void commit_products(unsigned barrier)
{
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(barrier),
                 "h"(uint16_t(3))
                 : "memory");
}

// 32 columns of the 32 lanes that the warp reaches.
__device__ __forceinline__ void load_sums(uint32_t (&sum)[32], unsigned address)
{
    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3]), "=r"(sum[4]), "=r"(sum[5]), "=r"(sum[6]), "=r"(sum[7]),
          "=r"(sum[8]), "=r"(sum[9]), "=r"(sum[10]), "=r"(sum[11]), "=r"(sum[12]), "=r"(sum[13]), "=r"(sum[14]), "=r"(sum[15]),
          "=r"(sum[16]), "=r"(sum[17]), "=r"(sum[18]), "=r"(sum[19]), "=r"(sum[20]), "=r"(sum[21]), "=r"(sum[22]), "=r"(sum[23]),
          "=r"(sum[24]), "=r"(sum[25]), "=r"(sum[26]), "=r"(sum[27]), "=r"(sum[28]), "=r"(sum[29]), "=r"(sum[30]), "=r"(sum[31])
        : "r"(address));
}

// Naming the sums keeps their uses behind the wait. It is a wait for all loads of the warp.
__device__ __forceinline__ void wait_for_sums(uint32_t (&sum)[32])
{
    asm volatile("tcgen05.wait::ld.sync.aligned;"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]), "+r"(sum[5]), "+r"(sum[6]), "+r"(sum[7]),
                   "+r"(sum[8]), "+r"(sum[9]), "+r"(sum[10]), "+r"(sum[11]), "+r"(sum[12]), "+r"(sum[13]), "+r"(sum[14]), "+r"(sum[15]),
                   "+r"(sum[16]), "+r"(sum[17]), "+r"(sum[18]), "+r"(sum[19]), "+r"(sum[20]), "+r"(sum[21]), "+r"(sum[22]), "+r"(sum[23]),
                   "+r"(sum[24]), "+r"(sum[25]), "+r"(sum[26]), "+r"(sum[27]), "+r"(sum[28]), "+r"(sum[29]), "+r"(sum[30]), "+r"(sum[31])
                 :
                 : "memory");
}

// Holds the order of what stands before and behind, without a wait: ptxas moves nothing across the leave to launch dependent grids, of
// which there are none here. Else it issues a load of sums behind the uses of the one before, to give both the same registers.
__device__ __forceinline__ void keep_order()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

__device__ __forceinline__ unsigned shared_address(const void* pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

}  // namespace
