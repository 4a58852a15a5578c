//! One kernel with everything that is derived from it before anything is judged.

use super::finding::Severity;
use crate::analysis::derive::mix::InstructionMix;
use crate::analysis::derive::occupancy::Occupancy;
use crate::analysis::derive::stalls::{StallBasis, Stalls};
use crate::analysis::kernel::stated::Work;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::analysis::phases::Phases;
use crate::catalog::{StallReason, Threshold};
use crate::evidence::Reading;

/// One kernel with what is derived from it.
pub(in crate::analysis) struct Kernel<'a, 'r> {
    pub(in crate::analysis) kernel: &'a KernelSummary<'r>,
    pub(in crate::analysis) stalls: &'a Stalls,
    pub(in crate::analysis) mix: &'a InstructionMix,
    pub(in crate::analysis) occupancy: &'a Occupancy,
    /// Where the time goes; `None` where the report does not count and sample by instruction.
    pub(in crate::analysis) phases: Option<&'a Phases>,
    pub(in crate::analysis) limits: &'a Limits,
    pub(in crate::analysis) work: &'a Work,
    /// Local memory of a thread in bytes, where the launcher wrote it down.
    pub(in crate::analysis) local_bytes: Option<u64>,
}

impl Kernel<'_, '_> {
    /// A stall reason's share of the time between two issued instructions of a warp, in percent, without parked warps.
    pub(super) fn stall_share(&self, reason: StallReason) -> Option<f64> {
        let table = self.stalls.table(StallBasis::ShareOfWarpTime)?;
        let name: &str = reason.into();
        self.stalls.counted(table, table.rows.iter().find(|row| row.reason == name)?)
    }

    /// The readings of these metrics, by name.
    pub(super) fn readings(&self, metrics: &[&str]) -> Vec<(String, Reading)> {
        metrics.iter().map(|name| ((*name).to_owned(), self.kernel.reading(name))).collect()
    }

    /// What a pattern that makes `share` percent of a part's work amounts to: it explains the limit where that part
    /// limits and the share is large, else it costs, else it is a note.
    pub(super) fn severity(&self, part_limits: bool, share: f64) -> Severity {
        if part_limits && share >= self.limits[Threshold::CauseShare] {
            Severity::Limits
        } else if share >= self.limits[Threshold::CostShare] {
            Severity::Costs
        } else {
            Severity::Notes
        }
    }
}
