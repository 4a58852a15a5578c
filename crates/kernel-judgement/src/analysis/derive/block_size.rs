//! Warps that an SM holds by the size of a block: from the chip's limits and what a block of the launch takes.

use crate::analysis::KernelSummary;
use crate::catalog::{self, ChipRow, Counter};

const WARP: u32 = 32;
/// Registers are given to warps in units of this many. CUDA Programming Guide and the occupancy calculator: since cc 3.0.
const REGISTER_UNIT: u32 = 256;
/// Warps are given registers in groups of this many: one per scheduler. The occupancy calculator: since cc 3.0.
const WARP_UNIT: u32 = 4;

/// Registers that a warp occupies whose threads have so many.
fn registers_per_warp(registers: u64) -> Option<u32> {
    Some((u32::try_from(registers).ok()?.max(1) * WARP).next_multiple_of(REGISTER_UNIT))
}

/// Shared memory that a block occupies which asks for so many bytes: the system's share with it.
pub(in crate::analysis) fn shared_of_block(chip: &ChipRow, bytes: u64) -> u64 {
    (bytes + u64::from(chip.shared_reserved_per_block)).next_multiple_of(if chip.cc.0 >= 8 { 128 } else { 256 })
}

/// Blocks on an SM by each resource, as the occupancy calculator counts them: of so many threads, with registers for each, and shared
/// memory in bytes without the system's share.
pub(in crate::analysis) fn blocks_by_resource(
    chip: &ChipRow,
    registers: u64,
    shared: u64,
    threads: u32,
) -> Option<Vec<(&'static str, u32)>> {
    let warps_per_block = threads.div_ceil(WARP);
    let warps_by_registers = chip.registers_per_sm / registers_per_warp(registers)? / WARP_UNIT * WARP_UNIT;
    let by_shared = u64::from(chip.shared_per_sm).checked_div(shared_of_block(chip, shared));
    let mut limits = vec![
        ("registers", warps_by_registers / warps_per_block),
        ("warps", chip.max_warps_per_sm / warps_per_block),
        ("blocks", chip.max_blocks_per_sm),
    ];
    limits.extend(by_shared.and_then(|blocks| Some(("shared memory", u32::try_from(blocks).ok()?))));
    Some(limits)
}

/// A size of a block and what an SM holds of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct BlockSize {
    pub(in crate::analysis) threads: u32,
    pub(in crate::analysis) blocks: u32,
    pub(in crate::analysis) warps: u32,
}

/// The sizes that a kernel's block can have.
pub(in crate::analysis) struct BlockSizes {
    chip: &'static ChipRow,
    registers: u64,
    /// Bytes of shared memory of a block, without the system's share.
    shared: u64,
    /// Threads of a block of the launch.
    threads: u32,
    /// Blocks that named barriers leave room for.
    by_barriers: u32,
}

impl BlockSizes {
    /// `None` for a chip that the catalog does not have, or a launch that does not tell what a block takes.
    pub(in crate::analysis) fn of(kernel: &KernelSummary<'_>) -> Option<BlockSizes> {
        let value = |name: Counter| kernel.value(name);
        let shared = value(Counter::LaunchSharedMemPerBlockStatic)? + value(Counter::LaunchSharedMemPerBlockDynamic)?;
        let threads = u32::try_from(kernel.key().block?.count()?).ok().filter(|threads| *threads > 0)?;
        Some(BlockSizes {
            chip: catalog::chip(kernel.device().compute_capability?)?,
            registers: value(Counter::LaunchRegistersPerThread)? as u64,
            shared: shared as u64,
            threads,
            by_barriers: value(Counter::LaunchOccupancyLimitBarriers).map_or(u32::MAX, |blocks| blocks as u32),
        })
    }

    /// Whether a block asks for shared memory.
    pub(in crate::analysis) fn has_shared(&self) -> bool {
        self.shared > 0
    }

    /// Warps that an SM can hold.
    pub(in crate::analysis) fn most_warps(&self) -> u32 {
        self.chip.max_warps_per_sm
    }

    /// What an SM holds of blocks of this size. Whether shared memory belongs to the threads or to the block is not known: a larger
    /// block is taken to need more in proportion, and a smaller one no less.
    fn at(&self, threads: u32) -> BlockSize {
        let grown = (self.shared * u64::from(threads)).div_ceil(u64::from(self.threads));
        let (shared, of_block) = (self.shared.max(grown), threads.div_ceil(WARP));
        let limits = blocks_by_resource(self.chip, self.registers, shared, threads);
        let fits = shared <= u64::from(self.chip.shared_per_block_max);
        let by_resource = limits.into_iter().flatten().map(|(_, blocks)| blocks).min().filter(|_| fits);
        let blocks = by_resource.unwrap_or(0).min(self.by_barriers);
        BlockSize { threads, blocks, warps: blocks * of_block }
    }

    /// What an SM holds of the launch's own size.
    pub(in crate::analysis) fn now(&self) -> BlockSize {
        self.at(self.threads)
    }

    fn all(&self) -> impl Iterator<Item = BlockSize> + '_ {
        (1..=self.chip.max_threads_per_block / WARP).map(|warps| self.at(warps * WARP))
    }

    /// The size of which an SM holds the most warps, one more a scheduler than now: of several a power of two, then the nearest.
    pub(in crate::analysis) fn fuller(&self) -> Option<BlockSize> {
        let nearest = |size: &BlockSize| std::cmp::Reverse(size.threads.abs_diff(self.threads));
        let best = self.all().max_by_key(|size| (size.warps, size.threads.is_power_of_two(), nearest(size)))?;
        (best.warps >= self.now().warps + self.chip.schedulers_per_sm).then_some(best)
    }

    /// The most registers of a thread, fewer than now, with which an SM holds more blocks of the launch's size, and its warps then.
    pub(in crate::analysis) fn fewer_registers(&self) -> Option<(u64, u32)> {
        let now = self.now().blocks;
        let with = |registers: u64| (registers, BlockSizes { registers, ..*self }.now());
        let (registers, size) = (1..self.registers).rev().map(with).find(|(_, size)| size.blocks > now)?;
        Some((registers, size.warps))
    }

    /// The smallest size that fills an SM which can hold `started` blocks at a time, whatever their size, because it starts them no
    /// faster; of several a power of two. With it the warps that are then there.
    pub(in crate::analysis) fn filling(&self, started: f64) -> Option<(BlockSize, u32)> {
        let held = |size: &BlockSize| size.warps.min((started * f64::from(size.threads / WARP)) as u32);
        let smallest = |size: &BlockSize| std::cmp::Reverse(size.threads);
        let larger = self.all().filter(|size| size.threads > self.threads && size.blocks > 0);
        let best = larger.max_by_key(|size| (held(size), size.threads.is_power_of_two(), smallest(size)))?;
        Some((best, held(&best)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::kernel::summary::fixtures::of_fixture;

    fn sizes(cc: (u32, u32), registers: u64, shared: u64, threads: u32) -> BlockSizes {
        BlockSizes { chip: catalog::chip(cc).expect("chip"), registers, shared, threads, by_barriers: u32::MAX }
    }

    fn held(size: Option<BlockSize>) -> Option<(u32, u32, u32)> {
        size.map(|size| (size.threads, size.blocks, size.warps))
    }

    #[test]
    fn two_registers_less_let_a_second_block_fit() {
        // 130 are given as 136: 8 warps take 34,816 of 65,536; at 128 two blocks fill the file.
        assert_eq!(sizes((9, 0), 130, 8192, 256).fewer_registers(), Some((128, 16)));
        assert_eq!(sizes((9, 0), 32, 8192, 256).fewer_registers(), None);
    }

    #[test]
    fn a_size_that_fills_the_sm() {
        // 1,536 threads of an SM hold one block of 1,024, three of 512. 40 registers: 1,280 a warp, 51 and so 48 warps.
        let third = sizes((12, 0), 40, 0, 1024);
        assert_eq!((held(Some(third.now())), held(third.fuller())), (Some((1024, 1, 32)), Some((512, 3, 48))));
        // 64 registers are 2,048 a warp: 32 warps, as many as the block has.
        assert_eq!(held(sizes((12, 0), 64, 0, 1024).fuller()), None);
        // 56 registers are 1,792 a warp: 36 warps. Blocks of 128: nine of them.
        assert_eq!(held(sizes((12, 0), 56, 0, 1024).fuller()), Some((128, 9, 36)));
        // 60 kB a block: one of 100 kB. Smaller blocks may need as much, larger ones need more.
        assert_eq!(held(sizes((12, 0), 40, 60 << 10, 1024).fuller()), None);
        // 32 blocks of one warp are half of 64 warps; two warps a block fill them.
        assert_eq!(held(sizes((9, 0), 32, 0, 32).fuller()), Some((64, 32, 64)));
        // 8 KiB for a block of one warp and 1 KiB of the system: 25 in 228 KiB; 28 warps at most, in blocks of seven.
        assert_eq!(held(sizes((9, 0), 32, 8 << 10, 32).fuller()), None, "three warps more");
    }

    #[test]
    fn the_sizes_are_those_of_ncus_own_curve() {
        for name in ["stream_triad", "strided_copy", "fp64_bound", "pointer_chase", "l2_resident"] {
            of_fixture(&format!("labelled/{name}"), |kernel| {
                let sizes = BlockSizes::of(kernel).expect("a launch");
                let points = kernel.curve(Counter::LaunchOccupancyPerBlockSize).expect("a curve");
                let whole = || points.iter().filter(|(threads, _)| *threads > 0 && threads.is_multiple_of(WARP.into()));
                for (threads, warps) in whole() {
                    assert_eq!(f64::from(sizes.at(*threads as u32).warps), *warps, "{name}, {threads} threads");
                }
                assert!(whole().count() >= 32, "{name}");
            });
        }
    }

    #[test]
    fn a_size_for_blocks_that_start_slowly() {
        // 1,260 cycles of life and a start every 157: eight blocks at a time. 64 warps need eight each.
        let tiny = sizes((9, 0), 16, 0, 32);
        assert_eq!(tiny.filling(8.02).map(|(size, warps)| (size.threads, warps)), Some((256, 64)));
        // Twelve at a time need 5.3 warps each.
        assert_eq!(tiny.filling(12.0).map(|(size, warps)| (size.threads, warps)), Some((256, 64)));
        // 128 registers leave room for 16 warps: two blocks of eight.
        assert_eq!(sizes((9, 0), 128, 0, 32).filling(3.0).map(|(size, warps)| (size.threads, warps)), Some((256, 16)));
        // One at a time: the largest block is all there can be.
        assert_eq!(tiny.filling(1.0).map(|(size, warps)| (size.threads, warps)), Some((1024, 32)));
    }
}
