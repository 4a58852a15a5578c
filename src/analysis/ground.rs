//! What the checks and the levers are computed from: one kernel and everything already derived from it.

use super::bottleneck::Bottleneck;
use super::coalescing::Coalescing;
use super::finding::Severity;
use super::floor::Floor;
use super::limits::Limits;
use super::mix::InstructionMix;
use super::occupancy::Occupancy;
use super::performance::Work;
use super::stalls::{StallBasis, Stalls};
use super::summary::KernelSummary;

/// One kernel with its derived readings.
pub(super) struct Ground<'a, 'r> {
    pub(super) kernel: &'a KernelSummary<'r>,
    pub(super) bottleneck: &'a Bottleneck,
    pub(super) stalls: &'a Stalls,
    pub(super) mix: &'a InstructionMix,
    pub(super) coalescing: &'a Coalescing,
    pub(super) occupancy: &'a Occupancy,
    pub(super) limits: &'a Limits,
    pub(super) work: &'a Work,
}

impl Ground<'_, '_> {
    /// The stated bytes beside those that DRAM moved.
    pub(super) fn floor(&self) -> Option<Floor> {
        Floor::of(self.kernel, self.work)
    }

    /// The limiter's code.
    pub(super) fn limiter(&self) -> &str {
        &self.bottleneck.limiter.0
    }

    /// Whether the limiter is one of these codes; a code that ends in `-` stands for all that begin so.
    pub(super) fn is_limited_by(&self, codes: &[&str]) -> bool {
        codes
            .iter()
            .any(|code| if code.ends_with('-') { self.limiter().starts_with(code) } else { self.limiter() == *code })
    }

    /// A stall reason's share of the time between two issued instructions of a warp, in percent, without parked warps.
    pub(super) fn stall_share(&self, reason: &str) -> Option<f64> {
        let table = self.stalls.table(StallBasis::ShareOfWarpTime)?;
        self.stalls.counted(table, table.rows.iter().find(|row| row.reason == reason)?)
    }

    /// What a pattern that makes `share` percent of a part's work amounts to: it explains the limit where that part
    /// limits and the share is large, else it costs, else it is a note.
    pub(super) fn severity(&self, part_limits: bool, share: f64) -> Severity {
        if part_limits && share >= self.limits.get("cause-share") {
            Severity::Limits
        } else if share >= self.limits.get("cost-share") {
            Severity::Costs
        } else {
            Severity::Notes
        }
    }
}
