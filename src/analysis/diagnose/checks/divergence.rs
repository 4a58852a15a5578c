//! Lanes without work: warps that split at branches, and lanes that a predicate switches off.

use super::{Finding, Ground, Severity};
use crate::analysis::diagnose::bottleneck::percent;
use crate::catalog::Threshold;
use crate::quantity::format;

/// Threads of an instruction's warp that take part in it.
const ACTIVE: &str = "smsp__thread_inst_executed_per_inst_executed.ratio";
/// Those of them that no predicate switches off.
const ON: &str = "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio";
const UNIFORM: &str = "smsp__sass_average_branch_targets_threads_uniform.pct";
const LANES: f64 = 32.0;

/// Whether instructions, and so the lanes of each, are what sets the time.
fn counts_instructions(g: &Ground<'_, '_>) -> bool {
    g.is_limited_by(&["issue", "compute", "compute-", "latency-branch-resolving", "latency-no-instruction"])
}

/// Few lanes take part: `1 − threads per instruction / 32`.
pub(super) fn divergence(g: &Ground<'_, '_>) -> Option<Finding> {
    let active = g.kernel.value(ACTIVE).filter(|active| *active < g.limits[Threshold::ThreadUtilisationLow])?;
    let idle = 100.0 * (1.0 - active / LANES);
    let uniform = g.kernel.value(UNIFORM).map(|u| format!("; {} of the branches are uniform", percent(u)));
    let sentence = format!(
        "{} of 32 threads take part in the average instruction{}: the issue slots carry {} empty lanes.",
        format::fixed(active, 2),
        uniform.unwrap_or_default(),
        percent(idle)
    );
    let severity = g.severity(counts_instructions(g), idle);
    Some(Finding::new("divergence", severity, idle, sentence, g.kernel, &[ACTIVE, ON, UNIFORM]))
}

/// Lanes take part but are predicated off: `(active − on) / 32`, where together they leave a quarter of the warp idle.
pub(super) fn predicated_off(g: &Ground<'_, '_>) -> Option<Finding> {
    let (active, on) = (g.kernel.value(ACTIVE)?, g.kernel.value(ON)?);
    let off = 100.0 * (active - on) / LANES;
    if on >= g.limits[Threshold::ThreadUtilisationLow] || off < g.limits[Threshold::CostShare] {
        return None;
    }
    let sentence = format!(
        "Predicates switch off {} of 32 threads of the average instruction: {} take part, {} do the work.",
        format::fixed(active - on, 2),
        format::fixed(active, 2),
        format::fixed(on, 2)
    );
    // Of slots that mostly stay empty, lanes cost little.
    let cost = off * g.stalls.issue_active.new.value().unwrap_or(1.0);
    let severity: Severity = g.severity(counts_instructions(g), cost);
    Some(Finding::new("predicated-off", severity, cost, sentence, g.kernel, &[ACTIVE, ON]))
}
