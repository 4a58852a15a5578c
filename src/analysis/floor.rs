//! What the stated work leaves no way around: its bytes, against what DRAM moved and could move.

use super::performance::{DURATION, Work};
use super::summary::KernelSummary;

/// Bytes above the stated ones that still count as moving no more than the work needs.
const NEEDED: f64 = 1.05;

/// The stated bytes beside those that DRAM moved.
pub(super) struct Floor {
    /// `work.bytes`.
    pub(super) stated: f64,
    /// Rate of DRAM × time, in bytes.
    pub(super) moved: f64,
    /// Largest part of the run time that any change can save while the work is the same, in percent:
    /// `1 − (the smaller of the two / peak rate of DRAM) / time`. The smaller, because bytes that stay in L2 take no
    /// time of DRAM.
    pub(super) most: f64,
}

impl Floor {
    /// `None` without stated bytes, a time, or the counters of DRAM.
    pub(super) fn of(kernel: &KernelSummary<'_>, work: &Work) -> Option<Floor> {
        let stated = work.bytes? as f64;
        let seconds = kernel.value(DURATION).map(|ns| ns / 1e9).filter(|seconds| *seconds > 0.0)?;
        let moved = kernel.value("dram__bytes.sum.per_second")? * seconds;
        let peak =
            kernel.value("dram__bytes.sum.peak_sustained")? * kernel.value("dram__cycles_elapsed.avg.per_second")?;
        let most = 100.0 * (1.0 - stated.min(moved) / peak / seconds);
        (moved > 0.0 && peak > 0.0).then_some(Floor { stated, moved, most })
    }

    /// Whether DRAM moves no more than the work needs.
    pub(super) fn is_reached(&self) -> bool {
        self.moved <= NEEDED * self.stated
    }

    /// Part of the moved bytes that the work does not need, in percent.
    pub(super) fn waste(&self) -> f64 {
        100.0 * (1.0 - self.stated / self.moved).max(0.0)
    }
}
