//! What the warps of a launch wait for.

use super::measures::Measures;
use crate::analysis::derive::stalls::StallBasis;
use crate::analysis::phases::{PhaseKind, Phases, WaitGroup};
use crate::catalog::StallReason;
use cuda_binary::Op;
use cuda_binary::op::Act;
use strum::VariantArray;

impl Measures<'_> {
    /// A stall reason's share of the warps' time, 0 to 1, without parked warps.
    pub(super) fn wait(&self, reason: StallReason) -> Option<f64> {
        self.stall_share(reason).map(|percent| percent / 100.0)
    }

    /// The same of several reasons together; a reason that is not held is nothing.
    pub(super) fn waits(&self, reasons: &[StallReason]) -> f64 {
        reasons.iter().filter_map(|reason| self.wait(*reason)).sum()
    }

    /// The part of the wait for long scoreboards that is for mbarriers, 0 to 1, as far as the samples by instruction tell.
    pub(super) fn at_mbarriers(&self) -> f64 {
        self.kernel_of.phases.map_or(0.0, Phases::at_mbarriers)
    }

    /// The share of the warps' time that they wait for loads through L1, 0 to 1; not known of a kernel that may have bulk copies,
    /// whose mbarriers answer by the same scoreboards, without samples by instruction.
    pub(super) fn waits_for_loads(&self) -> Option<f64> {
        let executed = self.kernel.opcodes();
        let is_bulk = |op: Op| op.is_bulk() && op.copies_global();
        let may_copy = match executed.is_empty() {
            true => self.chip().is_none_or(|chip| chip.has_bulk_copies),
            false => executed.iter().any(|(opcode, count)| *count > 0.0 && is_bulk(Op::of(opcode))),
        };
        if may_copy && self.phases.is_none() {
            return None;
        }
        Some(self.wait(StallReason::LongScoreboard)? * (1.0 - self.at_mbarriers()))
    }

    /// The largest wait. A warp that issues or is ready waits for nothing. None where one that the report does not hold may be the largest.
    pub(super) fn top_wait(&self) -> Option<(StallReason, f64)> {
        let is_stall = |reason: &&StallReason| reason.row().is_some_and(crate::catalog::StallRow::is_stall);
        let all = StallReason::VARIANTS.iter().filter(is_stall);
        // The first of equal ones.
        let found = all.rev().filter_map(|reason| Some((*reason, self.wait(*reason)?)));
        found.max_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|(_, largest)| *largest >= self.unheld_waits())
    }

    /// The share of the warps' time of which the report holds no reason, 0 to 1.
    pub(super) fn unheld_waits(&self) -> f64 {
        self.stalls.table(StallBasis::ShareOfWarpTime).map_or(0.0, |table| table.unheld() / 100.0)
    }

    /// Cycles that a warp waits for what loads of memory bring, in one turn of the main loop.
    pub(super) fn load_cycles(phases: &Phases) -> Option<f64> {
        let waits = &phases.phase(PhaseKind::MainLoop)?.waits;
        let wait = waits.iter().find(|wait| wait.reason == <&str>::from(StallReason::LongScoreboard))?;
        let is_load = |group: &&WaitGroup| {
            group.cause.as_ref().is_some_and(|at| matches!(at.op().act(), Some(Act::Load | Act::Copy)))
        };
        let of_loads: f64 = wait.groups.iter().filter(is_load).map(|group| group.share).sum();
        // What no large group tells is taken to be loads as well where some of it is.
        (of_loads > 0.0).then_some(phases.step_cycles()? * wait.share)
    }
}
