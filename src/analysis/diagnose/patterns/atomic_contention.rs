//! Atomics that meet at few addresses: one slice of L2 does all of them.

use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, Threshold};
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

/// The busiest slice's atomic unit.
const BUSIEST: &str = "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed";
/// Average of that unit over the slices.
const AVERAGE: &str = "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed";
/// Global reductions: atomics without a returned value.
const REDUCTIONS: &str = "smsp__inst_executed_op_global_red.sum";
/// Atomics that return the old value, as the hardware counts them.
const COUNTED: [&str; 2] =
    ["smsp__inst_executed_op_generic_atom_dot_alu.sum", "smsp__inst_executed_op_generic_atom_dot_cas.sum"];
/// The same as patched instructions count them: both kinds in one.
const PATCHED: &str = "smsp__sass_inst_executed_op_global_atom.sum";

/// The busiest and the average slice in percent of peak, and executed atomics where they are counted.
pub(super) struct AtomicContention;

impl Pattern<Ground<'_, '_>> for AtomicContention {
    type Facts = (f64, f64, Option<f64>);
    const SITS: Sits = Sits::Atomics;

    /// The walk ended at one slice, and the atomic unit of the busiest slice is itself near its peak. Spread evenly over
    /// the slices: `1 − average slice / busiest slice`.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let (busiest, average) = (g.kernel.value(BUSIEST)?, g.kernel.value(AVERAGE)?);
        if !g.is_limited_by(&[Code::MemoryHotSpot]) || busiest < g.limits[Threshold::SolLow] {
            return None;
        }
        let is_counted = COUNTED.iter().any(|name| g.kernel.value(name).is_some());
        let returning: &[&str] = if is_counted { &COUNTED } else { &[PATCHED] };
        let all = std::iter::once(&REDUCTIONS).chain(returning).copied();
        let counted: Vec<&str> = all.filter(|name| g.kernel.value(name).is_some_and(|n| n > 0.0)).collect();
        let executed = counted.iter().filter_map(|name| g.kernel.value(name)).sum();
        let formula = format!("1 − {} (average slice) / {} (busiest slice)", percent(average), percent(busiest));
        let metrics: Vec<&str> = [BUSIEST, AVERAGE].into_iter().chain(counted.iter().copied()).collect();
        let facts = (busiest, average, (!counted.is_empty()).then_some(executed));
        Some(
            Hit::new(Code::AtomicContention, facts)
                .finding(Severity::Limits, busiest - average, g.readings(&metrics))
                .bound(Bound::new(100.0 * (1.0 - average / busiest), formula, BUSIEST)),
        )
    }

    fn say((busiest, average, executed): &Self::Facts) -> Words {
        let amount = executed.map(|executed| {
            words!("{} atomic instructions of warps meet at few addresses: ", format::fixed(executed, 0))
        });
        words!(
            "{}the atomic unit of the busiest L2 slice is at {} of its peak, the average slice at {}.",
            amount.unwrap_or_default(),
            percent(*busiest),
            percent(*average)
        )
    }

    fn advise(_: &Self::Facts) -> Words {
        words!(
            "Send fewer atomics to one address: add up within the warp or in shared memory first, or give each block a copy of its own."
        )
    }
}
