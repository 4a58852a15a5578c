//! The kernel's counters that the rules on phases read. What was not collected is `None`, never 0.

use crate::analysis::derive::occupancy::smallest;
use crate::analysis::kernel::summary::KernelSummary;
use crate::catalog::Counter;

/// Tensor activity in percent of peak, elapsed: the spelling that the chip has comes first.
const TENSOR: [Counter; 4] = [
    Counter::SmPipeTensorTypeHmmaHgmmaQgmmaImmaIgmmaBmmaBgmmaCyclesActiveAvgPctElapsed,
    Counter::SmPipeTensorCyclesActiveAvgPctElapsed,
    Counter::SmPipeTensorOpHmmaTypeHmmaHgmmaQgmmaCyclesActiveAvgPctElapsed,
    Counter::SmPipeTensorOpHmmaCyclesActiveAvgPctElapsed,
];

/// The same while a block is resident.
const TENSOR_RESIDENT: [Counter; 2] =
    [Counter::SmPipeTensorCyclesActiveAvgPctActive, Counter::SmPipeTensorOpHmmaCyclesActiveAvgPctActive];

/// Counters of one kernel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// `B`: blocks of the grid.
    pub(super) blocks: f64,
    /// `W`: warps of a block.
    pub(super) warps: f64,
    /// `N`: SMs.
    pub(super) sms: Option<f64>,
    /// `K`: elapsed cycles.
    pub(super) elapsed: Option<f64>,
    /// Cycles in which an SM holds a block, on average.
    pub(super) resident: Option<f64>,
    /// The same of the SM that has most of them.
    pub(super) resident_max: Option<f64>,
    /// `A`: the share of the elapsed time in which an SM holds a block, 0 to 1.
    pub(super) active: Option<f64>,
    /// Warps on an SM in a cycle in which it holds one.
    pub(super) warps_active: Option<f64>,
    /// Achieved over theoretical occupancy.
    pub(super) filled: Option<f64>,
    pub(super) waves: Option<f64>,
    /// Blocks that an SM can hold.
    pub(super) blocks_per_sm: Option<f64>,
    /// `u(tensor)`: share of the elapsed time in which the tensor pipe works, 0 to 1.
    pub(super) tensor: Option<f64>,
    /// The same while a block is resident.
    pub(super) tensor_resident: Option<f64>,
}

impl Counters {
    /// `None` without a grid.
    pub(super) fn of(kernel: &KernelSummary<'_>) -> Option<Counters> {
        let (grid, block) = (kernel.key().grid?, kernel.key().block?);
        let positive = |name: Counter| kernel.value(name).filter(|value| *value > 0.0);
        let first = |names: &[Counter]| names.iter().find_map(|name| kernel.value(name)).map(|percent| percent / 100.0);
        let sms =
            kernel.device().sm_count.map(f64::from).or_else(|| positive(Counter::DeviceAttributeMultiprocessorCount));
        let resident = positive(Counter::SmCyclesActiveAvg);
        let ratio = |part: Counter, whole: Counter| Some(positive(part)? / positive(whole)?);
        Some(Counters {
            blocks: product(grid.0),
            warps: (product(block.0) / 32.0).ceil(),
            sms,
            elapsed: positive(Counter::GpcCyclesElapsedMax),
            resident,
            resident_max: positive(Counter::SmCyclesActiveMax),
            active: ratio(Counter::SmCyclesActiveAvg, Counter::SmCyclesElapsedAvg),
            warps_active: positive(Counter::SmWarpsActiveAvgPerCycleActive),
            filled: ratio(Counter::SmWarpsActiveAvgPctActive, Counter::SmMaximumWarpsPerActiveCyclePct),
            waves: positive(Counter::LaunchWavesPerMultiprocessor),
            blocks_per_sm: smallest(kernel, None).filter(|blocks| *blocks > 0.0),
            tensor: first(&TENSOR),
            tensor_resident: first(&TENSOR_RESIDENT),
        })
    }

    /// Life of a warp in cycles: resident warps × resident cycles × SMs over all warps.
    pub(super) fn warp_life(&self) -> Option<f64> {
        let all = self.blocks * self.warps;
        Some(self.warps_active? * self.resident? * self.sms? / all).filter(|life| life.is_finite())
    }

    /// Whether an SM holds one block at a time: no more fit, or there are no more.
    pub(super) fn is_one_block(&self) -> Option<bool> {
        Some(self.blocks_per_sm? <= 1.0 || self.blocks <= self.sms?)
    }

    /// Whether all blocks are resident from the start.
    pub(super) fn is_resident_grid(&self) -> Option<bool> {
        Some(self.blocks <= self.blocks_per_sm? * self.sms?)
    }
}

fn product(sizes: [u64; 3]) -> f64 {
    sizes.into_iter().map(|size| size as f64).product()
}
