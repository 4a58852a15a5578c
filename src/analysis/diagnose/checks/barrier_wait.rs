//! Waits at block barriers beside another limiter.

use super::{Finding, Ground, Severity};
use crate::analysis::derive::mix::WARPGROUP;
use crate::analysis::diagnose::bottleneck::percent;
use crate::catalog::Threshold;

const STALL: &str = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";

/// Barrier waits above the catalog's share, where the barrier is not what the walk ended at.
pub(super) fn barrier_wait(g: &Ground<'_, '_>) -> Option<Finding> {
    let share = g.stall_share("barrier").filter(|share| *share >= g.limits[Threshold::StallBarrierShare])?;
    if g.is_limited_by(&["sync-barrier"]) || g.stalls.are_hidden {
        return None;
    }
    let at = if g.mix.has_class(WARPGROUP) {
        "at block barriers and for the products of their warpgroup"
    } else {
        "at block barriers"
    };
    let sentence = format!("Warps wait {} of the time between two issued instructions {at}.", percent(share));
    Some(Finding::new("barrier-wait", Severity::Costs, share, sentence, g.kernel, &[STALL]))
}
