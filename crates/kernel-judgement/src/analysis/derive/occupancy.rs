//! Occupancy: how many warps can be resident, what caps them, and how far the next step is.

use crate::analysis::{KernelSummary, Row};
use crate::bounds::BLOCKS_OF_SM;
use crate::catalog::{self, Counter};
use crate::evidence::Dim3;

/// The part of the shared memory of an SM that a stage takes at least.
pub(in crate::analysis) const STAGE: f64 = 0.2;
pub(in crate::analysis) const SHARED: &str = "shared memory";
/// What varies on the curve of shared memory.
pub(in crate::analysis) const SHARED_BYTE: &str = "byte of shared memory";

/// The resources that cap the blocks on an SM, with the metric of each.
const LIMITS: [(&str, Counter); 5] = [
    ("registers", Counter::LaunchOccupancyLimitRegisters),
    (SHARED, Counter::LaunchOccupancyLimitSharedMem),
    ("warps", Counter::LaunchOccupancyLimitWarps),
    ("blocks", Counter::LaunchOccupancyLimitBlocks),
    ("barriers", Counter::LaunchOccupancyLimitBarriers),
];

/// The curves that the report holds: what varies, the metric of the curve, the metric of the point, steps in words.
///
/// The curve of shared memory is not among them: ncu draws it for the carve-out of the launch
/// (`launch__shared_mem_config_size`), and the driver picks a larger one when blocks ask for more.
const CURVES: [(&str, Counter, Counter); 2] = [
    ("register", Counter::LaunchOccupancyPerRegisterCount, Counter::LaunchRegistersPerThread),
    ("thread per block", Counter::LaunchOccupancyPerBlockSize, Counter::LaunchBlockSize),
];

/// One cap on the blocks of an SM.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct BlockLimit {
    pub resource: String,
    /// Blocks that this resource admits.
    pub row: Row,
    /// Whether it is the smallest cap of the new side; several are when they tie.
    pub binds: bool,
}

/// Where the next higher occupancy begins on a curve.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Cliff {
    /// What would have to change: `register`, `byte of shared memory`, `thread per block`.
    pub unit: String,
    /// The value of the launch.
    pub at: u64,
    /// Warps per SM there, as the curve says.
    pub warps: f64,
    /// The nearest smaller value with more warps, and those warps.
    pub gain: Option<(u64, f64)>,
    /// The largest value up to which the warps do not drop, when the curve reaches further.
    pub room: Option<u64>,
    /// The curve where it changes: (value, warps from there on), and its last point.
    pub steps: Vec<(u64, f64)>,
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Occupancy {
    /// Theoretical, achieved, warps, waves.
    pub rows: Vec<Row>,
    pub limits: Vec<BlockLimit>,
    /// Distance to the next step, for each curve that the report holds.
    pub cliffs: Vec<Cliff>,
    /// Blocks per SM that the smallest cap admits; `None` where a cap is not known.
    pub blocks_per_sm: Option<f64>,
    /// Grid over (SMs × blocks per SM).
    pub waves: Option<f64>,
    /// What a block takes of the registers of an SM; `None` for a chip that the catalog does not have.
    #[serde(skip)]
    pub registers: Option<BlockRegisters>,
    /// Bytes of shared memory of an SM; `None` for a chip that the catalog does not have.
    #[serde(skip)]
    pub shared_per_sm: Option<u32>,
    /// The part of the shared memory of an SM that a block takes, the driver's own part with it, 0 to 1.
    #[serde(skip)]
    pub shared_of_block: Option<f64>,
}

impl Occupancy {
    /// The occupancy of a kernel, old beside new.
    pub fn of(new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Occupancy {
        let rows = crate::analysis::derive::panels::Panel::build("occupancy", new, old)
            .map(|panel| panel.rows)
            .unwrap_or_default();
        let mut limits: Vec<BlockLimit> = LIMITS
            .iter()
            .map(|(resource, metric)| BlockLimit {
                resource: (*resource).into(),
                row: Row { label: (*resource).into(), ..Row::metric(metric, new, old) },
                binds: false,
            })
            .filter(|limit| limit.row.has_number())
            .collect();
        let smallest = smallest(new, None);
        for limit in &mut limits {
            limit.binds = smallest.is_some() && limit.row.new.value() == smallest;
        }
        // The launch's carve-out follows what binds beside it; the SM has more.
        let is_of_sm = |limit: &BlockLimit| limit.resource != SHARED || shared_blocks(new) <= smallest;
        if limits.iter().any(|limit| limit.binds && is_of_sm(limit)) {
            limits.iter_mut().filter(|limit| !is_of_sm(limit)).for_each(|limit| limit.binds = false);
        }
        Occupancy {
            rows,
            limits,
            cliffs: CURVES.iter().filter_map(|curve| cliff(new, curve)).chain(shared(new)).collect(),
            blocks_per_sm: smallest,
            waves: new.value(Counter::LaunchWavesPerMultiprocessor),
            registers: BlockRegisters::of(new),
            shared_of_block: new.value(SHARED_OF_BLOCK).zip(new.value(SHARED_OF_SM)).map(|(block, all)| block / all),
            shared_per_sm: new.device().compute_capability.and_then(catalog::chip).map(|chip| chip.shared_per_sm),
        }
    }

    /// The resources that bind, in table order.
    pub fn binding(&self) -> Vec<&str> {
        self.limits.iter().filter(|limit| limit.binds).map(|limit| limit.resource.as_str()).collect()
    }

    /// Occupancy as a design: one block of a kernel with products, where the registers of a second one do not fit on an SM, or its
    /// shared memory does not with a stage less either; `None` where the caps on its blocks are not known.
    pub fn is_by_design(&self, has_tensor: bool) -> Option<bool> {
        if !has_tensor {
            return Some(false);
        }
        let is_one = self.blocks_per_sm? <= 1.0;
        let binding = self.binding();
        let is_full = self.shared_of_block.is_none_or(|block| block - STAGE > 0.5);
        Some(is_one && (binding.contains(&"registers") || binding.contains(&SHARED) && is_full))
    }

    /// The registers that the blocks of an SM take; `None` where one of the numbers is not known.
    pub(crate) fn file_in_use(&self) -> Option<FileInUse> {
        let file = self.registers?;
        let threads = file.block_threads * self.blocks_per_sm?;
        Some(FileInUse { file, threads, share: file.per_thread * threads / file.all })
    }
}

/// The registers of an SM and of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockRegisters {
    pub per_thread: f64,
    /// Threads of a block, in whole warps: registers are given to warps.
    pub block_threads: f64,
    /// Registers of an SM.
    pub all: f64,
}

impl BlockRegisters {
    fn of(side: &KernelSummary<'_>) -> Option<BlockRegisters> {
        let told = || side.value(Counter::LaunchBlockSize).map(|threads| threads as u64);
        let threads = side.key().block.and_then(Dim3::count).or_else(told)?;
        Some(BlockRegisters {
            per_thread: side.value(Counter::LaunchRegistersPerThread)?,
            block_threads: 32.0 * threads.div_ceil(32) as f64,
            all: side.device().compute_capability.and_then(catalog::chip)?.registers_per_sm.into(),
        })
    }

    pub fn of_block(&self) -> f64 {
        self.per_thread * self.block_threads
    }
}

/// What the resident blocks take of a register file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FileInUse {
    pub(crate) file: BlockRegisters,
    /// Resident threads of an SM.
    pub(crate) threads: f64,
    /// The part that is taken, 0 to 1.
    pub(crate) share: f64,
}

/// Blocks of an SM that the smallest cap admits, of all or all but one; `None` where one of ncu's older caps is not known.
pub(in crate::analysis) fn smallest(side: &KernelSummary<'_>, but: Option<&str>) -> Option<f64> {
    let caps = LIMITS.iter().filter(|(resource, _)| Some(*resource) != but);
    let known = caps.filter_map(|(resource, metric)| {
        let cap = side.value(metric);
        (cap.is_some() || *resource != "barriers").then_some(cap)
    });
    known.collect::<Option<Vec<f64>>>()?.into_iter().min_by(f64::total_cmp)
}

/// Reads one curve at the launch's own point.
fn cliff(side: &KernelSummary<'_>, (unit, curve, point): &(&str, Counter, Counter)) -> Option<Cliff> {
    let at = side.value(point)? as u64;
    let points = side.curve(*curve)?;
    // The launch sits on the last point that is not above it: curves step in allocation units.
    let here = points.iter().rposition(|(x, _)| *x <= at)?;
    let warps = points[here].1;
    let gain = points[..here].iter().rev().find(|(x, w)| *w > warps && *x > 0).copied();
    let last = points[here..].iter().take_while(|(_, w)| *w >= warps).last()?;
    let room = (last.0 > at && last.0 < points.last()?.0).then_some(last.0);
    Some(Cliff { unit: (*unit).into(), at, warps, gain, room, steps: steps(points) })
}

/// Shared memory that an SM can hand out at its largest carve-out, in bytes.
pub(in crate::analysis) const SHARED_OF_SM: Counter = Counter::DeviceAttributeMaxSharedMemoryPerMultiprocessor;
/// Shared memory of a block, the driver's own part with it, in bytes.
pub(in crate::analysis) const SHARED_OF_BLOCK: Counter = Counter::LaunchSharedMemPerBlockAllocated;
const BLOCK_SIZE: Counter = Counter::LaunchBlockSize;
const WARP: f64 = 32.0;
/// Steps in which shared memory is handed out, in bytes: compute capability 8.0 and later, as ncu's occupancy calculator rounds.
const SHARED_STEP: u64 = 128;

/// Blocks whose shared memory fits on an SM at its largest carve-out.
fn shared_blocks(side: &KernelSummary<'_>) -> Option<f64> {
    let (whole, at) = (side.value(SHARED_OF_SM)?, side.value(SHARED_OF_BLOCK)?);
    (at > 0.0).then(|| (whole / at).floor())
}

/// The steps of shared memory at the SM's largest carve-out: `n` blocks fit where each has at most `SM / n`.
fn shared(side: &KernelSummary<'_>) -> Option<Cliff> {
    let (whole, at) = (side.value(SHARED_OF_SM)? as u64, side.value(SHARED_OF_BLOCK)? as u64);
    let per_block = (side.value(BLOCK_SIZE)? / WARP).ceil();
    let most = smallest(side, Some(SHARED))? as u64;
    if at == 0 || at > whole || !(1..=BLOCKS_OF_SM).contains(&most) {
        return None;
    }
    let largest = |blocks: u64| whole / blocks / SHARED_STEP * SHARED_STEP;
    let warps = |blocks: u64| blocks as f64 * per_block;
    let blocks = most.min(whole / at);
    let gain = (blocks < most).then(|| (largest(blocks + 1), warps(blocks + 1)));
    let room = Some(largest(blocks)).filter(|room| *room > at);
    let mut steps = vec![(0, warps(most))];
    steps.extend((2..=most).rev().map(|fit| (largest(fit) + SHARED_STEP, warps(fit - 1))));
    steps.push((whole, warps(1)));
    Some(Cliff { unit: SHARED_BYTE.into(), at, warps: warps(blocks), gain, room, steps })
}

/// The points of a sorted curve at which its value changes, and the last one.
fn steps(points: &[(u64, f64)]) -> Vec<(u64, f64)> {
    let changes =
        (0..points.len()).filter(|at| *at == 0 || at + 1 == points.len() || points[at - 1].1 != points[*at].1);
    changes.map(|at| points[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::kernel::summary::fixtures::of_fixture;

    fn shared_cliff(file: &str) -> Cliff {
        of_fixture(file, |side| shared(side).unwrap())
    }

    #[test]
    fn one_block_is_a_design_where_no_second_one_fits_with_a_stage_less() {
        let design = |file: &str| {
            let occupancy = of_fixture(file, |side| Occupancy::of(side, None));
            (occupancy.is_by_design(true), occupancy.binding().join(" and "))
        };
        // 132,096 B of 233,472, half of the registers: 116,736 B make two blocks.
        let gelu = design("collected/batched_gemm_gelu/profile");
        assert_eq!(gelu, (Some(false), "shared memory".to_owned()));
        // 82,432 B: two fit; the carve-out of the launch holds one because the registers do.
        assert_eq!(design("collected/wmma_gemm/profile"), (Some(true), "registers".to_owned()));
        let embed = design("collected/patch_embed_gemm_1_tma/profile");
        assert_eq!(embed, (Some(true), "registers and shared memory".to_owned()));
    }

    #[test]
    fn shared_memory_is_held_against_the_whole_sm_and_not_the_carve_out_of_the_launch() {
        // 233,472 B of an SM: registers and warps admit two blocks of 1,024 threads, so a block may have 116,736 B.
        let gemm = shared_cliff("h200/gemm_bias_v2");
        assert_eq!((gemm.at, gemm.warps, gemm.gain, gemm.room), (9_472, 64.0, None, Some(116_736)));
        // One block of 164,864 B; a second of 4 warps from 116,736 B down.
        let low = shared_cliff("labelled/low_occupancy_smem");
        assert_eq!((low.at, low.warps), (164_864, 4.0));
        assert_eq!((low.gain, low.room), (Some((116_736, 8.0)), Some(233_472)));
        // Registers admit one block alone, whatever it asks for.
        let embed = shared_cliff("collected/patch_embed_gemm/profile");
        assert_eq!((embed.gain, embed.room.map(|room| room - embed.at)), (None, Some(34_816)));
        // Without shared memory of its own a block still holds the driver's 1,024 B.
        let strided = shared_cliff("labelled/strided_copy");
        assert_eq!((strided.at, strided.room), (1_024, Some(29_184)));
    }
}
