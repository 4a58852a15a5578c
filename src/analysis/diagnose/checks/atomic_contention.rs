//! Atomics that meet at few addresses: one slice of L2 does all of them.

use super::{Finding, Ground, Severity};
use crate::analysis::diagnose::bottleneck::percent;
use crate::catalog::Threshold;
use crate::quantity::format;

/// The busiest slice's atomic unit.
pub(in crate::analysis) const BUSIEST: &str = "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed";
/// Average of that unit over the slices.
pub(in crate::analysis) const AVERAGE: &str = "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed";
/// Global reductions: atomics without a returned value.
const REDUCTIONS: &str = "smsp__inst_executed_op_global_red.sum";
/// Atomics that return the old value, as the hardware counts them.
const COUNTED: [&str; 2] =
    ["smsp__inst_executed_op_generic_atom_dot_alu.sum", "smsp__inst_executed_op_generic_atom_dot_cas.sum"];
/// The same as patched instructions count them: both kinds in one.
const PATCHED: &str = "smsp__sass_inst_executed_op_global_atom.sum";

/// The walk ended at one slice, and the atomic unit of the busiest slice is itself near its peak.
pub(super) fn atomic_contention(g: &Ground<'_, '_>) -> Option<Finding> {
    let (busiest, average) = (g.kernel.value(BUSIEST)?, g.kernel.value(AVERAGE)?);
    if !g.is_limited_by(&["memory-hot-spot"]) || busiest < g.limits[Threshold::SolLow] {
        return None;
    }
    let is_counted = COUNTED.iter().any(|name| g.kernel.value(name).is_some());
    let returning: &[&str] = if is_counted { &COUNTED } else { &[PATCHED] };
    let counted: Vec<&str> = std::iter::once(&REDUCTIONS)
        .chain(returning)
        .copied()
        .filter(|name| g.kernel.value(name).is_some_and(|n| n > 0.0))
        .collect();
    let executed: f64 = counted.iter().filter_map(|name| g.kernel.value(name)).sum();
    let amount = if counted.is_empty() {
        String::new()
    } else {
        format!("{} atomic instructions of warps meet at few addresses: ", format::fixed(executed, 0))
    };
    let sentence = format!(
        "{amount}the atomic unit of the busiest L2 slice is at {} of its peak, the average slice at {}.",
        percent(busiest),
        percent(average)
    );
    let metrics: Vec<&str> = [BUSIEST, AVERAGE].into_iter().chain(counted).collect();
    Some(Finding::new("atomic-contention", Severity::Limits, busiest - average, sentence, g.kernel, &metrics))
}
