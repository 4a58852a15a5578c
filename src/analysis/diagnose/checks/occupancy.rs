//! Occupancy capped by a resource of the block.

use super::{Finding, Ground, Severity};
use crate::analysis::derive::mix::{TCGEN05, WARPGROUP};
use crate::analysis::diagnose::bottleneck::percent;
use crate::catalog::Threshold;
use crate::quantity::format;

const THEORETICAL: &str = "sm__maximum_warps_per_active_cycle_pct";
const ELIGIBLE: &str = "smsp__warps_eligible.avg.per_cycle_active";

/// A cap matters where the schedulers have cycles without a ready warp. It explains a limit by waiting, because more
/// resident warps are what hides a wait; beside a busy unit it costs at most what the unit leaves free.
pub(super) fn limit(g: &Ground<'_, '_>) -> Option<Finding> {
    let theoretical = g.kernel.value(THEORETICAL)?;
    let binding = g.occupancy.binding().join(" and ");
    let eligible = g.kernel.value(ELIGIBLE)?;
    if theoretical >= g.limits[Threshold::OccupancyTheoreticalLow]
        || eligible >= g.limits[Threshold::EligibleLow]
        || binding.is_empty()
        || g.is_limited_by(&["launch-"])
    {
        return None;
    }
    let missing = 100.0 - theoretical;
    let waits = g.is_limited_by(&["latency", "latency-"]);
    let caps = if g.occupancy.binding().len() == 1 && !binding.ends_with('s') { "caps" } else { "cap" };
    let sentence = format!(
        "{binding} of the block {caps} an SM at {} of its warps, and a scheduler has {} ready warps in the average cycle.",
        percent(theoretical),
        format::fixed(eligible, 2)
    );
    let sentence =
        sentence.chars().next().map(|c| c.to_uppercase().to_string()).unwrap_or_default() + sentence.get(1..)?;
    let runs_beside = g.mix.has_class(WARPGROUP) || g.mix.has_class(TCGEN05);
    let severity = match waits {
        true => g.severity(true, missing),
        // Few warps with large tiles are how such kernels are built: their products run beside them.
        false if runs_beside => Severity::Notes,
        false => Severity::Costs,
    };
    let share =
        if waits { missing } else { missing.min(100.0 - g.bottleneck.unit.as_ref().map_or(0.0, |u| u.percent)) };
    Some(Finding::new("occupancy-limit", severity, share, sentence, g.kernel, &[THEORETICAL, ELIGIBLE]))
}
