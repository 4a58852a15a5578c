//! How many blocks an SM can hold at once, from the build and the chip alone.

use super::select::Launched;
use crate::analysis::derive::block_size::{blocks_by_resource, shared_of_block};
use crate::catalog::{self, ChipRow};
use crate::evidence::CubinKernel;

/// How the kernel is launched, as far as it was stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchShape {
    /// Threads of a block.
    pub threads: Option<u32>,
    /// Those along x.
    pub along_x: Option<u32>,
    /// Dynamic shared memory of a block in bytes.
    pub dynamic_shared: Option<u64>,
    pub grid: Option<[u32; 3]>,
    /// Blocks of a cluster, where it is stated.
    pub cluster: Option<u32>,
}

impl LaunchShape {
    /// Threads of a block along x, and how often across; `None` where the shape is not stated.
    pub(super) fn sides(&self) -> Option<[u64; 3]> {
        let (all, x) = (self.threads?, self.along_x?);
        Some([x.into(), u64::from(all / x.max(1)), 1])
    }
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BlockLimitRow {
    /// `registers`, `shared memory`, `warps`, `blocks`, `tensor memory`.
    pub resource: String,
    /// Blocks that it allows on one SM.
    pub blocks: u32,
}

/// Occupancy as the build fixes it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StaticOccupancy {
    /// Threads of a block.
    pub threads: u32,
    /// Where that number is from: `the launch`, `audit.toml`, `__launch_bounds__`, `assumed`.
    pub threads_from: String,
    /// Shared memory of a block in bytes: static, dynamic as far as stated, and the system's share.
    pub shared_bytes: u64,
    /// Whether dynamic shared memory is unknown and counted as none.
    pub shared_is_unknown: bool,
    pub limits: Vec<BlockLimitRow>,
    /// Blocks on one SM: the smallest limit.
    pub blocks: u32,
    /// Warps on one SM.
    pub warps: u32,
    /// Warps that the SM can hold.
    pub max_warps: u32,
    /// Share of them in percent.
    pub percent: f64,
}

impl StaticOccupancy {
    /// The resources with the smallest limit, all of them where several are equal.
    pub fn limiters(&self) -> Vec<&str> {
        self.limits.iter().filter(|limit| limit.blocks == self.blocks).map(|limit| limit.resource.as_str()).collect()
    }
}

/// Block sizes that are looked at where none is stated.
const USUAL_BLOCKS: [u32; 4] = [128, 256, 512, 1024];
/// Occupancy at the block size that is known, else at usual ones; empty for a chip that the catalog does not have, or a
/// cubin without a register count. `columns` of tensor memory are what the code allocates.
pub(super) fn occupancies(
    kernel: &CubinKernel,
    arch: &str,
    shape: LaunchShape,
    launched: Option<&Launched>,
    columns: Option<u64>,
) -> Vec<StaticOccupancy> {
    let (Some(chip), Some(registers)) = (catalog::chip_of_arch(arch), kernel.registers) else { return Vec::new() };
    let product = |xyz: [u32; 3]| xyz.iter().product::<u32>();
    let launch = launched.and_then(|l| l.block?.count()).and_then(|count| u32::try_from(count).ok());
    let known = launch
        .map(|threads| (threads, "the launch"))
        .or(shape.threads.map(|threads| (threads, "audit.toml")))
        .or(kernel.required_threads.map(|xyz| (product(xyz), "the block size that the kernel requires")))
        .or(kernel.max_threads.map(|xyz| (product(xyz), "__launch_bounds__")));
    let sizes = known.map_or_else(
        || USUAL_BLOCKS.iter().map(|threads| (*threads, "assumed")).collect::<Vec<_>>(),
        |known| vec![known],
    );
    let dynamic = dynamic_shared(shape, launched);
    sizes
        .into_iter()
        .filter(|(threads, _)| (1..=chip.max_threads_per_block).contains(threads))
        .filter_map(|known| at(chip, registers, Memory { fixed: kernel.shared_bytes, dynamic, columns }, known))
        .collect()
}

/// Dynamic shared memory of a block in bytes, by the launch, else as stated.
pub(super) fn dynamic_shared(shape: LaunchShape, launched: Option<&Launched>) -> Option<u64> {
    launched.and_then(|l| l.dynamic_shared.value()).map(|bytes| bytes as u64).or(shape.dynamic_shared)
}

/// Memory of the SM that a block takes.
#[derive(Clone, Copy, Default)]
struct Memory {
    /// Static shared memory in bytes.
    fixed: u64,
    /// Dynamic shared memory in bytes, where it is known.
    dynamic: Option<u64>,
    /// Columns of tensor memory; `None` where the code allocates none, or as many as only the run tells.
    columns: Option<u64>,
}

/// Blocks by each resource, as the occupancy calculator counts them, and by tensor memory. `known`: the block size and its source.
fn at(chip: &ChipRow, registers: u64, memory: Memory, known: (u32, &str)) -> Option<StaticOccupancy> {
    let (threads, from) = known;
    let warps_per_block = threads.div_ceil(32);
    let shared = memory.fixed + memory.dynamic.unwrap_or(0);
    let mut limits = blocks_by_resource(chip, registers, shared, threads)?;
    let by_columns = chip.tensor_memory_columns.zip(memory.columns);
    let by_columns = by_columns.and_then(|(all, own)| u64::from(all).checked_div(own));
    limits.extend(by_columns.and_then(|blocks| Some(("tensor memory", u32::try_from(blocks).ok()?))));
    let blocks = limits.iter().map(|(_, blocks)| *blocks).min()?;
    let warps = blocks * warps_per_block;
    Some(StaticOccupancy {
        threads,
        threads_from: from.to_owned(),
        shared_bytes: shared_of_block(chip, shared),
        shared_is_unknown: memory.dynamic.is_none(),
        limits: limits.into_iter().map(|(r, blocks)| BlockLimitRow { resource: r.into(), blocks }).collect(),
        blocks,
        warps,
        max_warps: chip.max_warps_per_sm,
        percent: 100.0 * f64::from(warps) / f64::from(chip.max_warps_per_sm),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_by_hand() {
        let chip = catalog::chip_of_arch("sm_90a").expect("chip");
        // 168 registers: 168 * 32 = 5376 = 21 * 256 a warp; 65536 / 5376 = 12.19, in groups of 4: 12 warps; 12 / 8 = 1.
        let none = Memory { dynamic: Some(0), ..Memory::default() };
        let one = at(chip, 168, none, (256, "x")).expect("numbers");
        assert_eq!((one.blocks, one.warps), (1, 8));
        assert_eq!(one.limiters(), ["registers"]);
        // 32 registers: 1024 a warp, 64 warps; 64 / 8 = 8 blocks, as many as 64 warps allow: a tie.
        let tie = at(chip, 32, none, (256, "x")).expect("numbers");
        assert_eq!((tie.blocks, tie.percent, tie.limiters()), (8, 100.0, vec!["registers", "warps"]));
        // 100 KiB and the system's 1 KiB in 228 KiB: 2 blocks.
        let memory = Memory { fixed: 1024, dynamic: Some(99 * 1024), columns: None };
        let shared = at(chip, 32, memory, (128, "x")).expect("numbers");
        assert_eq!((shared.blocks, shared.limiters(), shared.shared_is_unknown), (2, vec!["shared memory"], false));
        // 512 of 512 columns: one block, whatever else there is room for; 128 of them: four. A chip without tensor memory has no such limit.
        let blackwell = catalog::chip_of_arch("sm_100a").expect("chip");
        let of = |columns| at(blackwell, 32, Memory { columns: Some(columns), ..none }, (128, "x")).expect("numbers");
        assert_eq!((of(512).blocks, of(512).limiters()), (1, vec!["tensor memory"]));
        assert_eq!((of(128).blocks, of(128).limiters()), (4, vec!["tensor memory"]));
        assert_eq!(at(chip, 32, Memory { columns: Some(512), ..none }, (128, "x")).map(|row| row.blocks), Some(16));
        assert!(catalog::chip_of_arch("sm_999").is_none() && catalog::chip_of_arch("x").is_none());
    }
}
