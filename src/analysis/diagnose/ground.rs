//! What the checks and the levers are computed from: one kernel and everything already derived from it.

use crate::analysis::derive::coalescing::Coalescing;
use crate::analysis::derive::floor::Floor;
use crate::analysis::derive::mix::InstructionMix;
use crate::analysis::derive::occupancy::Occupancy;
use crate::analysis::derive::roofline::Roofline;
use crate::analysis::derive::stalls::{StallBasis, Stalls};
use crate::analysis::diagnose::bottleneck::Bottleneck;
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::kernel::performance::Work;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::catalog::Threshold;

/// One kernel with its derived readings.
pub(in crate::analysis) struct Ground<'a, 'r> {
    pub(in crate::analysis) kernel: &'a KernelSummary<'r>,
    pub(in crate::analysis) bottleneck: &'a Bottleneck,
    pub(in crate::analysis) stalls: &'a Stalls,
    pub(in crate::analysis) mix: &'a InstructionMix,
    pub(in crate::analysis) coalescing: &'a Coalescing,
    pub(in crate::analysis) occupancy: &'a Occupancy,
    pub(in crate::analysis) roofline: &'a Roofline,
    pub(in crate::analysis) limits: &'a Limits,
    pub(in crate::analysis) work: &'a Work,
}

impl Ground<'_, '_> {
    /// The stated bytes beside those that DRAM moved.
    pub(in crate::analysis) fn floor(&self) -> Option<Floor> {
        Floor::of(self.kernel, self.work)
    }

    /// The limiter's code.
    pub(in crate::analysis) fn limiter(&self) -> &str {
        &self.bottleneck.limiter.0
    }

    /// Whether the limiter is one of these codes; a code that ends in `-` stands for all that begin so.
    pub(in crate::analysis) fn is_limited_by(&self, codes: &[&str]) -> bool {
        codes
            .iter()
            .any(|code| if code.ends_with('-') { self.limiter().starts_with(code) } else { self.limiter() == *code })
    }

    /// A stall reason's share of the time between two issued instructions of a warp, in percent, without parked warps.
    pub(in crate::analysis) fn stall_share(&self, reason: &str) -> Option<f64> {
        let table = self.stalls.table(StallBasis::ShareOfWarpTime)?;
        self.stalls.counted(table, table.rows.iter().find(|row| row.reason == reason)?)
    }

    /// What a pattern that makes `share` percent of a part's work amounts to: it explains the limit where that part
    /// limits and the share is large, else it costs, else it is a note.
    pub(in crate::analysis) fn severity(&self, part_limits: bool, share: f64) -> Severity {
        if part_limits && share >= self.limits[Threshold::CauseShare] {
            Severity::Limits
        } else if share >= self.limits[Threshold::CostShare] {
            Severity::Costs
        } else {
            Severity::Notes
        }
    }
}
