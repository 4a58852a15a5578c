//! Uncoalesced global accesses: sectors beyond those that the bytes of each access fill.

use super::{Finding, Ground};
use crate::analysis::derive::coalescing::{IDEAL, SECTORS};
use crate::analysis::diagnose::bottleneck::percent;
use crate::catalog::Threshold;
use crate::quantity::format;

/// The excess share. It explains a limit only where sectors are what the limiting part moves: with every memory part
/// below its peak, fewer sectors shorten nothing.
pub(super) fn uncoalesced(g: &Ground<'_, '_>) -> Option<Finding> {
    let share = g.coalescing.total("excess-share")?;
    if share < g.limits[Threshold::SectorsExcessShare] {
        return None;
    }
    let (all, ideal) = (g.coalescing.total("sectors")?, g.coalescing.total("ideal")?);
    let moves_sectors =
        g.is_limited_by(&["memory", "memory-dram", "memory-l2", "memory-l1tex", "memory-lsu", "latency-lg-throttle"]);
    let sentence = format!(
        "Global accesses touch {} sectors where {} would hold their bytes, {}-fold: {} of the sectors carry nothing that was asked for.",
        format::fixed(all, 0),
        format::fixed(ideal, 0),
        format::fixed(all / ideal, 1),
        percent(share)
    );
    let severity = g.severity(moves_sectors, share);
    Some(Finding::new("uncoalesced-global-access", severity, share, sentence, g.kernel, &[SECTORS, IDEAL]))
}
