//! Shared-memory bank conflicts: wavefronts beyond those that the bytes of each access need.

use super::{Finding, Ground};
use crate::analysis::diagnose::bottleneck::percent;
use crate::catalog::Threshold;
use crate::quantity::format;

const ALL: &str = "memory_l1_wavefronts_shared";
const IDEAL: &str = "memory_l1_wavefronts_shared_ideal";

/// `(wavefronts − ideal) / wavefronts`, by the addresses of each executed access.
pub(super) fn bank_conflicts(g: &Ground<'_, '_>) -> Option<Finding> {
    let (all, ideal) = (g.kernel.value(ALL).filter(|all| *all > 0.0)?, g.kernel.value(IDEAL)?);
    let share = 100.0 * (all - ideal) / all;
    if share < g.limits[Threshold::BankConflictShare] {
        return None;
    }
    let is_shared_path = g.is_limited_by(&["memory-shared", "latency-mio-throttle", "latency-short-scoreboard"]);
    let sentence = format!(
        "Shared-memory accesses take {} wavefronts where {} would do, {}-fold: bank conflicts make {} of them.",
        format::fixed(all, 0),
        format::fixed(ideal, 0),
        format::fixed(all / ideal, 1),
        percent(share)
    );
    let severity = g.severity(is_shared_path, share);
    Some(Finding::new("shared-bank-conflicts", severity, share, sentence, g.kernel, &[ALL, IDEAL]))
}
