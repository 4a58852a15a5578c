//! Waits at memory fences.

use super::{Finding, Ground};
use crate::analysis::diagnose::bottleneck::percent;
use crate::catalog::Threshold;
use crate::quantity::format;

/// The catalog's id of the stall reason.
pub(in crate::analysis) const REASON: &str = "membar";
const STALL: &str = "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio";

/// Waits at fences above the catalog's share. A fence for a cluster or the whole GPU waits for every access before it, and
/// the acquiring side drops the lines of its L1 (`CCTL`).
pub(in crate::analysis) fn fences(g: &Ground<'_, '_>) -> Option<Finding> {
    let share = g.stall_share(REASON).filter(|share| *share >= g.limits[Threshold::StallFenceShare])?;
    if g.stalls.are_hidden {
        return None;
    }
    let executed = |opcode: &str| g.mix.count(opcode).filter(|count| *count > 0.0);
    let counts = [("MEMBAR", "fences"), ("CCTL", "instructions that drop lines of L1")];
    let counted: Vec<String> = counts
        .iter()
        .filter_map(|(opcode, what)| Some(format!("{} {what} (`{opcode}`)", format::fixed(executed(opcode)?, 0))))
        .collect();
    let of = if counted.is_empty() { String::new() } else { format!(": warps executed {}", counted.join(" and ")) };
    let sentence =
        format!("Warps wait {} of the time between two issued instructions at memory fences{of}.", percent(share));
    let severity = g.severity(g.is_limited_by(&["sync-membar"]), share);
    Some(Finding::new("memory-fence", severity, share, sentence, g.kernel, &[STALL]))
}
