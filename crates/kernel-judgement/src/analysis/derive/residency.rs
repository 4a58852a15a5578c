//! How a launch fills the chip: its blocks and warps, and the time for which SMs hold them. What was not collected is `None`, never 0.

use super::occupancy::smallest;
use crate::analysis::KernelSummary;
use crate::catalog::{self, Counter};
use crate::evidence::Dim3;

pub(in crate::analysis) const CYCLES: Counter = Counter::GpcCyclesElapsedMax;
/// Cycles in which an SM holds a block, on average over the SMs.
pub(in crate::analysis) const RESIDENT: Counter = Counter::SmCyclesActiveAvg;
/// The same of the SM that has most of them.
pub(in crate::analysis) const RESIDENT_MOST: Counter = Counter::SmCyclesActiveMax;
pub(in crate::analysis) const SM_CYCLES: Counter = Counter::SmCyclesElapsedAvg;
pub(in crate::analysis) const WAVES: Counter = Counter::LaunchWavesPerMultiprocessor;
/// Room for warps, percent of an SM's slots.
pub(in crate::analysis) const THEORETICAL: Counter = Counter::SmMaximumWarpsPerActiveCyclePct;
/// Slots taken while an SM holds a block, percent.
pub(in crate::analysis) const ACHIEVED: Counter = Counter::SmWarpsActiveAvgPctActive;
/// Instructions of all warps.
pub(in crate::analysis) const EXECUTED: Counter = Counter::SmspInstExecutedSum;
/// Warps on an SM while it holds a block, and on a scheduler.
const WARPS: Counter = Counter::SmWarpsActiveAvgPerCycleActive;
const WARPS_OF_SCHEDULER: Counter = Counter::SmspWarpsActiveAvgPerCycleActive;

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

/// Shares and percentages of the chip are 0 to 1 here.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::analysis) struct Residency {
    /// `B`: blocks.
    pub(in crate::analysis) blocks: Option<f64>,
    /// `W`: warps of a block.
    pub(in crate::analysis) block_warps: Option<f64>,
    /// `N`: SMs.
    pub(in crate::analysis) sms: Option<f64>,
    /// Blocks that an SM can hold.
    pub(in crate::analysis) fit: Option<f64>,
    /// `K`: elapsed cycles.
    pub(in crate::analysis) cycles: Option<f64>,
    /// Cycles in which an SM holds a block, on average, and of the SM that has most of them.
    pub(in crate::analysis) resident: Option<f64>,
    pub(in crate::analysis) resident_most: Option<f64>,
    /// `A`: the share of the time in which an SM holds a block.
    pub(in crate::analysis) active: Option<f64>,
    pub(in crate::analysis) waves: Option<f64>,
    pub(in crate::analysis) theoretical: Option<f64>,
    pub(in crate::analysis) achieved: Option<f64>,
    /// Warps on an SM while it holds a block.
    pub(in crate::analysis) warps: Option<f64>,
    /// Life of a warp in cycles: resident warps × resident cycles × SMs over all warps.
    pub(in crate::analysis) life: Option<f64>,
    /// `u(tensor)`: shares of the time in which the tensor pipe works: of all of it, and of that in which a block is resident.
    pub(in crate::analysis) tensor: [Option<f64>; 2],
}

impl Residency {
    pub(in crate::analysis) fn of(kernel: &KernelSummary<'_>) -> Residency {
        let value = |name: Counter| kernel.value(name);
        let positive = |name: Counter| value(name).filter(|value| *value > 0.0);
        let ratio = |part: Counter, whole: Counter| Some(positive(part)? / positive(whole)?);
        let key = kernel.key();
        // Where a report keeps nothing of a launch its grid is zeros.
        let blocks = key.grid.and_then(Dim3::count).filter(|blocks| *blocks > 0).map(|blocks| blocks as f64);
        let block_warps = key.block.and_then(Dim3::count).map(|threads| threads.div_ceil(32) as f64);
        let chip = kernel.device().compute_capability.and_then(catalog::chip);
        let schedulers = chip.map(|chip| f64::from(chip.schedulers_per_sm));
        let counted = || counted_sms(positive(EXECUTED)?, positive(Counter::SmspInstExecutedAvg)?, schedulers?);
        let sms = kernel.device().sm_count.map(f64::from).or_else(counted);
        let sms = sms.or_else(|| positive(Counter::DeviceAttributeMultiprocessorCount));
        // Percentages of elapsed cycles are of those of the SMs, which a page has as a sum over schedulers; the GPC that takes longest counts more.
        let of_schedulers = || Some(positive(Counter::SmspCyclesElapsedSum)? / schedulers?);
        let of_sms = || Some(value(RESIDENT)? * sms? / of_schedulers()?).filter(|active| *active <= 1.0);
        let fit = smallest(kernel, None).filter(|of_sm| *of_sm > 0.0);
        let (resident, warps) =
            (positive(RESIDENT), positive(WARPS).or_else(|| Some(positive(WARPS_OF_SCHEDULER)? * schedulers?)));
        let life = || Some(warps? * resident? * sms? / (blocks? * block_warps?)).filter(|life| life.is_finite());
        Residency {
            blocks,
            block_warps,
            sms,
            fit,
            cycles: positive(CYCLES),
            resident,
            resident_most: positive(RESIDENT_MOST),
            active: ratio(RESIDENT, SM_CYCLES).or_else(of_sms).or_else(|| ratio(RESIDENT, CYCLES)),
            waves: unrounded(positive(WAVES), blocks, fit.zip(sms)),
            theoretical: positive(THEORETICAL).map(|percent| percent / 100.0),
            achieved: positive(ACHIEVED).map(|percent| percent / 100.0),
            warps,
            life: life(),
            tensor: [&TENSOR[..], &TENSOR_RESIDENT]
                .map(|names| Some(names.iter().find_map(|name| value(*name))? / 100.0)),
        }
    }

    /// The part of the room for warps that is filled, 0 to 1.
    pub(in crate::analysis) fn filled(&self) -> Option<f64> {
        Some((self.achieved? / self.theoretical?).min(1.0))
    }

    /// Cycles of all SMs.
    pub(in crate::analysis) fn sm_cycles(&self) -> Option<f64> {
        Some(self.cycles? * self.sms?)
    }

    /// Blocks that the chip holds at once.
    pub(in crate::analysis) fn at_once(&self) -> Option<f64> {
        Some(self.fit? * self.sms?)
    }

    /// Whether an SM holds one block at a time: no more fit, or there are no more.
    pub(in crate::analysis) fn is_one_block(&self) -> Option<bool> {
        Some(self.fit? <= 1.0 || self.blocks? <= self.sms?)
    }

    /// The part of the SMs that never have a block.
    pub(in crate::analysis) fn without_block(&self) -> f64 {
        self.blocks.zip(self.sms).map_or(0.0, |(blocks, sms)| (1.0 - blocks / sms).max(0.0))
    }
}

/// SMs of a page that does not say how many there are: instructions of all schedulers over those of the average one are the schedulers, where
/// that is a whole number of SMs as far as the rounding of a page lets it be.
fn counted_sms(executed: f64, of_scheduler: f64, per_sm: f64) -> Option<f64> {
    let sms = executed / of_scheduler / per_sm;
    Some(sms.round()).filter(|whole| *whole >= 1.0 && (sms - whole).abs() <= 0.02)
}

/// Waves as ncu counts them, blocks over those that fit on the chip at once, where a page has them to two decimals: a number of blocks that
/// follows from these begins the very wave that it is to leave out. Where that does not give what the page says, as with clusters, it stays;
/// where the page says nothing, it is what there is.
fn unrounded(told: Option<f64>, blocks: Option<f64>, fit: Option<(f64, f64)>) -> Option<f64> {
    let exact = blocks.zip(fit).map(|(blocks, (of_sm, sms))| blocks / (of_sm * sms));
    exact.filter(|exact| told.is_none_or(|told| (exact - told).abs() <= 0.005 + 1e-9)).or(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_all_schedulers_over_those_of_one_are_the_sms() {
        // 524,288 / 1,213.63 = 432.0 schedulers, four to an SM.
        assert_eq!(counted_sms(524_288.0, 1213.63, 4.0), Some(108.0));
        assert_eq!(counted_sms(100.0, 7.0, 4.0), None);
    }

    #[test]
    fn waves_of_a_page_are_those_of_its_blocks() {
        // 1,024 blocks, 12 on each of 26 SMs: 3.28205, so that three waves are 936 blocks and not 937.
        let waves = |told| unrounded(told, Some(1024.0), Some((12.0, 26.0)));
        assert!(waves(Some(3.28)).is_some_and(|waves| (1024.0 * 3.0 / waves - 936.0).abs() < 1e-9));
        assert_eq!(waves(None), waves(Some(3.28)));
        assert_eq!(unrounded(Some(3.28), Some(1024.0), None), Some(3.28));
        // Eight blocks an SM by the caps, four by a cluster.
        assert_eq!(waves(Some(6.56)), Some(6.56));
    }
}
