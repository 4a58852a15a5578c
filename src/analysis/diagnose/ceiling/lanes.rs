//! The lever of lanes that are switched off.

use super::lever::{Lever, LeverOrigin};
use crate::analysis::diagnose::bottleneck::percent;
use crate::analysis::diagnose::ground::Ground;
use crate::catalog::Threshold;
use crate::quantity::format;

/// Issue slots that went to lanes which were switched off: `(1 − threads per instruction, predicated on, / 32) × slots used`.
/// Fewer instructions also shorten the way of a warp that waits; that is in no counter, so that the bound is rough.
pub(super) fn divergence(g: &Ground<'_, '_>) -> Option<Lever> {
    let on = g.kernel.value("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio")?;
    let used = g.stalls.issue_active.new.value()?;
    let idle = 100.0 * (1.0 - on / 32.0) * used;
    (on < g.limits[Threshold::ThreadUtilisationLow]).then(|| Lever {
        code: "idle-lanes".into(),
        origin: LeverOrigin::Audit,
        bound: idle,
        is_rough: true,
        formula: format!(
            "(1 − {} / 32 threads per executed instruction) × {} of the issue slots, if the time goes with these slots",
            format::fixed(on, 2),
            percent(100.0 * used)
        ),
        sentence: format!(
            "Keep the lanes busy: on average {} of 32 threads take part in an instruction.",
            format::fixed(on, 2)
        ),
        remeasure: "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio".into(),
    })
}
